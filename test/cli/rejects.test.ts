import { expect, it } from 'vitest';
import { Rejects } from '../../lib/cli/rejects.ts';

it('names ten lines, and says that more follow only where more do', () => {
  const said: string[] = [];
  const rejects = new Rejects('in', (message) => said.push(message));
  for (let line = 1; line <= 10; line++) rejects.add(line, 'no');
  expect(said).toEqual(Array.from({ length: 10 }, (_, i) => `in:${i + 1}: no`));
  rejects.add(11, 'no');
  rejects.add(12, 'no');
  expect(said.slice(10)).toEqual(['further lines that cannot be used are counted, not shown']);
  expect(rejects.count).toBe(12);
});
