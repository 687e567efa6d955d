// Packages of bench/peers/package.json, from its own node_modules or the folder in NEARDUP_PEERS.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const folder = process.env.NEARDUP_PEERS ?? new URL('.', import.meta.url).pathname;
const require = createRequire(`${folder}/package.json`);

/** The package, or undefined where it is not installed or does not load. */
export function optionalPackage(name) {
  try {
    const { version } = JSON.parse(readFileSync(`${folder}/node_modules/${name}/package.json`, 'utf8'));
    return { api: require(name), version };
  } catch {
    return undefined;
  }
}
