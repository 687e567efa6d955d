/** The pure-TypeScript engine. */
import type { Engine } from '../engine.ts';
import { TsIndex } from './index/index.ts';

const index: Pick<Engine, 'createIndex'> = {
  createIndex: (options) => new TsIndex(options),
};

export const tsEngine = { backend: 'js', kernel: 'js', ...index } as Engine;
