/**
 * What both engines offer for keeping an index in files: segments as payloads of segment files (docs/format.md), and
 * snapshots of what is held as parts to be written. Files, names, logs and their order are policy (lib/storage);
 * engines neither write files nor know a directory.
 */

/** Payload of a segment file that is open, and how to read it. */
export interface SegmentPayload {
  /** What checkpoint parts of this segment will be called. */
  readonly name: string;
  /** The file, for engines that map it; it is never changed, and may be removed while it is mapped. */
  readonly path: string;
  /** Where the payload stands in the file: a multiple of 4,096. */
  readonly offset: number;
  readonly length: number;
  /** XXH3-64 of each MiB of the payload (the last one may be shorter). */
  readonly checksums: BigUint64Array;
  /** Reads payload bytes, after a check of their checksums: throws ERR_NEARDUP_CORRUPT. For engines that do not map. */
  read(offset: number, out: Uint8Array): void;
}

/** A part of what was held when a checkpoint was made. */
export interface CheckpointPart {
  /** The segment file that holds exactly this part, removed entries of it included; undefined: to be written. */
  readonly name: string | undefined;
  /** Entries held, removed ones not counted. */
  readonly entries: number;
  /**
   * Bit i % 8 of byte i >> 3 is 1 where slot i is removed: of the file that has the name or, of a part without one, of
   * the payload that read() gives, which may have removed entries too. Undefined: none is.
   */
  removed(): Uint8Array | undefined;
  /** Of a part without name: makes its payload, in steps of some milliseconds. Not there: it takes no longer. */
  prepare?(): Iterable<undefined>;
  /** Of a part without name: bytes of its payload, which is made where it is not prepared. */
  length(): number;
  /** Of a part without name: copies payload bytes. */
  read(offset: number, out: Uint8Array): void;
  /**
   * From now on the part is known by the file's name; an engine that maps files gives the memory back. Changes
   * nothing where the part is no longer held.
   */
  adopt(file: SegmentPayload): void;
}

/** What was held at one moment. */
export interface Checkpoint {
  readonly parts: readonly CheckpointPart[];
  /** Gives the memory back. */
  close(): void;
}

/** The part of an EngineIndex that storage uses. */
export interface StoredIndex {
  /**
   * Adds the entries of a segment file but those whose slots are removed (bits as CheckpointPart.removed gives them).
   * Reads little where the engine can map the file. Throws ERR_NEARDUP_CORRUPT, naming the file and the section, for
   * what cannot be a segment of this index's columns; bytes not read yet are checked before they are trusted.
   */
  openSegment(file: SegmentPayload, removed?: Uint8Array): void;
  /** All that is held now. Costs some milliseconds for fresh entries. */
  checkpoint(): Checkpoint;
}

/** Storage beside an index. */
export interface SegmentChecker {
  /**
   * Checks the structure of a whole payload, whose checksums the caller has checked: every offset, count and order that
   * the layout demands, and for layouts with tables that they agree. In steps of some milliseconds, each of which
   * throws ERR_NEARDUP_CORRUPT, naming file and section, for what it finds wrong; ended early, it gives back all that
   * it has. The file must stay open.
   */
  checkSegment(
    file: SegmentPayload,
    columns: { time: boolean; tag: boolean; second: boolean },
  ): Iterable<undefined>;
}

/** The system's own lock of a file. */
export interface FileLocker {
  /**
   * Locks an open file, by its descriptor, without waiting: for itself alone, or shared with others that share it. The
   * system gives the lock up when the descriptor is closed, however its process ends. False: another open file has the
   * lock; undefined: platform or file system know none. Not there: the engine cannot.
   */
  tryLockFile?(file: number, isShared: boolean): boolean | undefined;
}
