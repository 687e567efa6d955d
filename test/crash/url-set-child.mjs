// Adds URLs to a directory until it is killed; prints how many were acknowledged.
import { UrlSet } from '../../dist/index.mjs';

const [path, sync, call] = process.argv.slice(2);
const set = UrlSet.open(path, { create: true, bufferUrls: 700, sync });
for (let i = set.size; ; i += 100) {
  await set[call](Array.from({ length: 100 }, (_, j) => `http://a.example/${i + j}`));
  process.stdout.write(`${i + 100}\n`);
}
