// Writes to an index as standard input says, a line a command, and prints what it holds after each. Runs the built
// package, as another process beside the test.
import { createInterface } from 'node:readline';
import { HammingIndex } from '../../dist/index.mjs';

const index = await HammingIndex.open(process.argv[2]);
console.log(index.size);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, first, count] = line.split(' ');
  const numbers = Array.from({ length: Number(count) }, (_, i) => Number(first) + i);
  const fingerprints = BigUint64Array.from(numbers, (number) => BigInt(number) << 30n);
  if (command === 'add') index.addBatch(fingerprints, numbers);
  if (command === 'remove') index.removeBatch(fingerprints, numbers);
  if (command === 'checkpoint') await index.checkpoint();
  if (command === 'compact') await index.compact();
  if (command === 'churn') {
    // Checkpoints without a pause, some of which replace what there was.
    for (const i of numbers) {
      index.addBatch(
        BigUint64Array.from({ length: 500 }, (_, j) => BigInt(i * 500 + j) << 20n),
        Array.from({ length: 500 }, (_, j) => i * 500 + j),
      );
      index.remove(BigInt(i * 500) << 20n, i * 500);
      await (i % 10 === 9 ? index.compact() : index.checkpoint());
    }
  }
  if (command === 'die') process.kill(process.pid, 'SIGKILL');
  console.log(index.size);
}
index.close();
