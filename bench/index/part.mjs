// A part of the benchmark of the index, in a process of its own so that its memory is its own:
// node --expose-gc part.mjs PART COUNT MEMORY, started by bench/index.mjs, to which it sends its rows.
import { measureCollection } from './collection.mjs';
import { measureCores } from './cores.mjs';
import { useOneCore } from './measure.mjs';
import { measureRadii } from './radii.mjs';
import { measureSkew } from './skew.mjs';
import { measureTypeScript } from './typescript.mjs';

const PARTS = {
  collection: measureCollection,
  cores: measureCores,
  radii: measureRadii,
  skew: measureSkew,
  typescript: measureTypeScript,
};

const [part, count, memory] = process.argv.slice(2);
if (part !== 'cores') useOneCore();
await PARTS[part](Number(count), memory, (row) => process.send({ count: Number(count), memory, ...row }));
process.disconnect();
