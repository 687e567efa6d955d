/** The public exports of neardup. */
export { type BackendInfo, backendInfo } from './backend.ts';
export type { Backend } from './engine.ts';
export { NeardupError, type NeardupErrorCode } from './errors.ts';
