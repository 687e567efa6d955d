/** The engines whose index has all the methods of the contract. */
import { engines } from '../engines.ts';

export const indexEngines = engines.filter((engine) => 'pairs' in engine.createIndex({ maxDistance: 0 }));
