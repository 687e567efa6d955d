/** The pure-TypeScript engine. */
import type { Engine } from '../engine.ts';
import { createBloom, mapBloom } from './urls/bloom.ts';
import { createKeySet } from './urls/keyset.ts';

export const tsEngine = {
  backend: 'js',
  kernel: 'js',
  createKeySet,
  createBloom,
  mapBloom,
} as unknown as Engine;
