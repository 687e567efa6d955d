/** The pure-TypeScript engine. */
import type { Engine } from '../engine.ts';

export const tsEngine = { backend: 'js', kernel: 'js' } as Engine;
