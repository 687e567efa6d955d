import { describe, expect, it } from 'vitest';
import { createLineReader } from '../../lib/cli/records.ts';

const read = createLineReader({ text: 'text', id: 'id' });
const line = (source: string | Uint8Array, number = 2) => read(Buffer.from(source as string), number);

describe('createLineReader', () => {
  it('reads strings and numbers as ids', () => {
    expect(line('{"id":"a","text":"x"}\n')).toEqual({ kind: 'document', document: { id: 'a', text: 'x' } });
    expect(line('{"id":0,"text":""}\r\n')).toEqual({ kind: 'document', document: { id: 0, text: '' } });
  });

  it('takes the line number where no id field is named', () => {
    const byLine = createLineReader({ text: 'text', id: undefined });
    expect(byLine(Buffer.from('{"text":"x"}'), 7)).toEqual({
      kind: 'document',
      document: { id: 7, text: 'x' },
    });
  });

  it('accepts a byte order mark on the first line only', () => {
    expect(line('\ufeff{"id":1,"text":"x"}\n', 1).kind).toBe('document');
    expect(line('\ufeff{"id":1,"text":"x"}\n', 2).kind).toBe('bad');
    expect(line('\ufeff\n', 1).kind).toBe('blank');
  });

  it('knows blank lines', () => {
    for (const blank of ['\n', '\r\n', ' \t \n', '']) expect(line(blank)).toEqual({ kind: 'blank' });
  });

  it('follows paths through objects and arrays; a literal name goes first', () => {
    const nested = createLineReader({ text: 'parts.0.text', id: 'meta.id' });
    const source = '{"meta":{"id":"m"},"parts":[{"text":"t"}]}';
    expect(nested(Buffer.from(source), 1)).toEqual({ kind: 'document', document: { id: 'm', text: 't' } });
    const literal = '{"meta.id":"whole","meta":{"id":"m"},"parts":[{"text":"t"}]}';
    expect(nested(Buffer.from(literal), 1)).toMatchObject({ document: { id: 'whole' } });
  });

  it('does not read inherited properties', () => {
    const inherited = createLineReader({ text: 'constructor.name', id: 'id' });
    expect(inherited(Buffer.from('{"id":1}'), 1)).toEqual({
      kind: 'bad',
      reason: 'no field "constructor.name"',
    });
  });

  it.each([
    ['{"id":1,"text":"x"', /^not valid JSON: /],
    ['nonsense', /^not valid JSON: /],
    ['3', /^not a JSON object$/],
    ['null', /^not a JSON object$/],
    ['"text"', /^not a JSON object$/],
    ['[]', /^no field "text"$/],
    ['{"id":1}', /^no field "text"$/],
    ['{"id":1,"text":null}', /^field "text" is null, not a string$/],
    ['{"id":1,"text":5}', /^field "text" is a number, not a string$/],
    ['{"id":1,"text":["x"]}', /^field "text" is an array, not a string$/],
    ['{"id":1,"text":{}}', /^field "text" is an object, not a string$/],
    ['{"text":"x"}', /^no field "id"$/],
    ['{"id":true,"text":"x"}', /^field "id" is a boolean, not a string or an integer$/],
    ['{"id":-1,"text":"x"}', /^field "id" is not an integer of 0 or more; write it as a string$/],
    ['{"id":1.5,"text":"x"}', /^field "id" is not an integer of 0 or more; write it as a string$/],
    ['{"id":9007199254740993,"text":"x"}', /^field "id" is above 2\^53 - 1/],
  ])('says why %s cannot be used', (source, reason) => {
    const result = line(source);
    expect(result.kind).toBe('bad');
    expect((result as { reason: string }).reason).toMatch(reason);
  });

  it('refuses bytes that are not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('{"id":1,"text":"'), Buffer.of(0xe9), Buffer.from('"}\n')]);
    expect(line(bytes)).toEqual({ kind: 'bad', reason: 'not valid UTF-8' });
  });

  it('keeps control characters of a bad line out of the message', () => {
    const result = line('\u001b[31m{oops}\u0007\u202e') as { reason: string };
    expect(result.reason).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(result.reason.length).toBeLessThan(200);
  });
});
