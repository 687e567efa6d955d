/** What a command has begun to make, and removes when it fails, on a signal, and when the process ends in any other way. */

const all = new Set<Unfinished>();

export class Unfinished {
  readonly #undo: () => void;

  /** `undo` removes it, at once: no promise would be waited for. */
  constructor(undo: () => void) {
    this.#undo = undo;
    all.add(this);
  }

  /** It is complete. */
  keep(): void {
    all.delete(this);
  }

  /** Removes it, where it was neither kept nor removed before, as far as that can be done. */
  remove(): void {
    if (!all.delete(this)) return;
    try {
      this.#undo();
    } catch {
      // It stays; why the command ends is what is to be told.
    }
  }
}

/** Removes everything that was not kept. */
export function removeUnfinished(): void {
  for (const each of all) each.remove();
}
