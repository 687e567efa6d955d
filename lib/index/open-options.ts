/** The options of HammingIndex.open, checked. */
import { checkRecipeText } from '../recipe/parse.ts';
import type { Recipe } from '../recipe/recipe.ts';
import type { WantedOptions } from '../storage/check-stored.ts';
import type { SyncMode } from '../storage/durable-writer.ts';
import type { OpenOptions } from '../storage/open.ts';
import { checkInteger, checkNamedOptions, outOfRange, wrongType } from '../validate.ts';
import { checkFlag, checkMemory, type HammingIndexOptions, INDEX_NAMES, MAX_PLANNED } from './options.ts';

const DEFAULT_INTERVAL = 1000;
/** What setTimeout can wait. */
const MAX_INTERVAL = 2 ** 31 - 1;
const DEFAULT_CHECKPOINT = 256 * 2 ** 20;
const LEAST_CHECKPOINT = 4096;
const SYNC_MODES: readonly SyncMode[] = ['always', 'interval', 'never'];
const OPEN_NAMES = [
  ...INDEX_NAMES,
  'create',
  'readOnly',
  'recipe',
  'sync',
  'syncInterval',
  'checkpointBytes',
] as const;

/**
 * How HammingIndex.open opens a directory. The options of the index itself say how it is made; those given for one
 * that is there must be the stored ones, but `memory`, which holds from then on.
 */
export interface HammingIndexOpenOptions extends HammingIndexOptions {
  /** Whether to make the index where the directory has none; true when not given. */
  readonly create?: boolean | undefined;
  /** Opens without a lock, beside a writer: changes are refused, and refresh() shows what is new. */
  readonly readOnly?: boolean | undefined;
  /** What the fingerprints are of. Stored with a new index; another one than stored is refused. */
  readonly recipe?: Recipe | string | undefined;
  /**
   * When a change that was acknowledged (its call returned, or its promise was fulfilled) survives the loss of power.
   * `always`: at once, as it was synced before; asynchronous calls share a sync. `interval` (when not given): after
   * `syncInterval` at most. `never`: when the system has written it, some tens of seconds later as a rule. In all of
   * them it survives the end of the process, kill -9 included, at once; so it was written before.
   */
  readonly sync?: SyncMode | undefined;
  /** Of `interval`, in milliseconds: 1 to 2^31 - 1; 1000 when not given. */
  readonly syncInterval?: number | undefined;
  /** Bytes of the log, 4096 or more, at which what is held is written as files; 2^28 when not given. */
  readonly checkpointBytes?: number | undefined;
}

function checkSync(value: unknown): SyncMode {
  const expected = SYNC_MODES.join(', ');
  if (typeof value !== 'string') wrongType('options.sync', expected, value);
  if (!SYNC_MODES.includes(value as SyncMode)) outOfRange('options.sync', expected, value);
  return value as SyncMode;
}

/** Options of an index that may be there: undefined where not given. */
function checkWanted(options: HammingIndexOpenOptions): WantedOptions {
  const { maxDistance, memory, times, tags, secondFingerprints, recipe } = options;
  if (memory !== undefined) checkMemory(memory);
  const flag = (name: string, value: unknown) => (value === undefined ? undefined : checkFlag(name, value));
  return {
    maxDistance:
      maxDistance === undefined
        ? undefined
        : checkInteger('options.maxDistance', maxDistance, 0, MAX_PLANNED),
    memory,
    columns: {
      time: flag('options.times', times),
      tag: flag('options.tags', tags),
      second: flag('options.secondFingerprints', secondFingerprints),
    },
    recipe: recipe === undefined ? undefined : checkRecipeText(recipe),
  };
}

/** How to open an index. */
export function checkOpenOptions(options: HammingIndexOpenOptions | undefined): OpenOptions {
  const checked = checkNamedOptions('options', options, OPEN_NAMES);
  const { create, sync, syncInterval, checkpointBytes } = checked;
  const isReadOnly = checkFlag('options.readOnly', checked.readOnly);
  return {
    wanted: checkWanted(checked),
    create: create === undefined ? true : checkFlag('options.create', create),
    readOnly: isReadOnly,
    sync: sync === undefined ? 'interval' : checkSync(sync),
    syncInterval:
      syncInterval === undefined
        ? DEFAULT_INTERVAL
        : checkInteger('options.syncInterval', syncInterval, 1, MAX_INTERVAL),
    checkpointBytes:
      checkpointBytes === undefined
        ? DEFAULT_CHECKPOINT
        : checkInteger('options.checkpointBytes', checkpointBytes, LEAST_CHECKPOINT, Number.MAX_SAFE_INTEGER),
  };
}
