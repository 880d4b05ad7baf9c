import fc from 'fast-check';
import { encode } from '@msgpack/msgpack';
import { describe, expect, test } from 'vitest';
import { bytesToHex } from '../bytes.ts';
import { mapEntry, mapWithout, stringOf } from './msgpack.ts';
import { checkJson, jsonToMsgpack, scanEnvelope } from './scan.ts';

const fault = (text: string): string | undefined => {
  const checked = checkJson(text);
  return checked.ok ? undefined : `${checked.message} at ${checked.at}`;
};

describe('the strict JSON reader rejects invalid JSON', () => {
  test.each([
    ['', 'unexpected end at 0'],
    ['{', 'expected a key at 1'],
    ['{"a":1', 'expected , or } at 6'],
    ['{"a":1,}', 'expected a key at 7'],
    ['[1,]', 'unexpected character at 3'],
    ['[1 2]', 'expected , or ] at 3'],
    ['{"a" 1}', 'expected : at 5'],
    ['{a:1}', 'expected a key at 1'],
    ['1 2', 'text after the value at 2'],
    ['{"a":1,"a":2}', 'duplicate key at 7'],
    ['{"a":1,"\\u0061":2}', 'duplicate key at 7'],
    ['{"é":1,"\\u00e9":2}', 'duplicate key at 7'],
    ['[{"x":{"a":1,"a":2}}]', 'duplicate key at 13'],
    ['1.0', 'not an integer at 0'],
    ['[1e3]', 'not an integer at 1'],
    ['1E3', 'not an integer at 0'],
    ['0.5', 'not an integer at 0'],
    ['-0', 'negative zero at 0'],
    ['01', 'leading zero at 0'],
    ['-', 'expected a digit at 1'],
    ['+1', 'unexpected character at 0'],
    ['9007199254740992', 'integer too large at 0'],
    ['9007199254740993', 'integer too large at 0'],
    ['-9007199254740992', 'integer too large at 0'],
    ['123456789012345678901234567890', 'integer too large at 0'],
    ['"abc', 'unterminated string at 0'],
    ['"a\\"', 'unterminated string at 0'],
    ['"\\x41"', 'bad escape at 1'],
    ['"\\u12g4"', 'bad escape at 1'],
    ['"a\nb"', 'control character in a string at 2'],
    ['"\\ud800"', 'lone surrogate at 1'],
    ['"\\udc00\\ud800"', 'lone surrogate at 1'],
    ['"\\ud800x"', 'lone surrogate at 1'],
    ['tru', 'unexpected character at 0'],
    ['nul', 'unexpected character at 0'],
    ['NaN', 'unexpected character at 0'],
    ['\ufeff{}', 'unexpected character at 0'],
    ["{'a':1}", 'expected a key at 1'],
    ['['.repeat(33) + ']'.repeat(33), 'nested too deeply at 32'],
  ])('the strict reader rejects %s', (text, expected) => {
    expect(fault(text)).toBe(expected);
  });
});

describe('accepted JSON is encoded as MessagePack', () => {
  test.each([
    ['{}', '0x80'],
    [' [ ] ', '0x90'],
    ['\t{ "a" : [ true , false , null ] }\r\n', '0x81a16193c3c2c0'],
    ['[127,128,255,256,65535,65536]', '0x967fcc80ccffcd0100cdffffce00010000'],
    ['[4294967295,4294967296]', '0x92ceffffffffcf0000000100000000'],
    ['9007199254740991', '0xcf001fffffffffffff'],
    ['[-1,-32,-33,-128,-129]', '0x95ffe0d0dfd080d1ff7f'],
    ['[-32768,-32769,-2147483648]', '0x93d18000d2ffff7fffd280000000'],
    ['-2147483649', '0xd3ffffffff7fffffff'],
    ['-9007199254740991', '0xd3ffe0000000000001'],
    // Keys that look like integers keep their position, although JSON.parse would move them to the
    // front.
    ['{"b":1,"2":2,"1":3}', '0x83a16201a13202a13103'],
    ['"\\ud83d\\ude00"', '0xa4f09f9880'],
    ['"😀\\u00e9\\n\\/"', '0xa8f09f9880c3a90a2f'],
    ['['.repeat(32) + ']'.repeat(32), `0x${'91'.repeat(31)}90`],
  ])('the strict reader encodes %s as MessagePack', (text, expected) => {
    expect(bytesToHex(jsonToMsgpack(text))).toBe(expected);
  });

  test.each([15, 16, 17, 40, 70_000])(
    'a map of %i keys is encoded in order, and a repeated key is rejected',
    (count) => {
      const entries = Array.from({ length: count }, (_, index) => [`k${index}`, index]);
      const value = Object.fromEntries(entries) as Record<string, number>;
      expect(jsonToMsgpack(JSON.stringify(value))).toEqual(encode(value));
      expect(fault(JSON.stringify(value).replace('{', '{"k3":0,'))).toMatch('duplicate key');
    },
  );

  test.each([0, 31, 32, 255, 256, 65_535, 65_536])(
    'strings of %i characters are encoded in their shortest form',
    (length) => {
      for (const character of ['x', 'é', '\n', '語']) {
        const text = character.repeat(length);
        expect(jsonToMsgpack(JSON.stringify([text]))).toEqual(encode([text]));
      }
    },
  );

  test('an array of 70,000 elements is encoded with a 32-bit header', () => {
    const value = Array.from({ length: 70_000 }, (_, index) => index);
    expect(jsonToMsgpack(JSON.stringify(value))).toEqual(encode(value));
  });
});

describe('scanEnvelope finds and encodes the action', () => {
  test("scanEnvelope returns the action and the action's position", () => {
    const text = ' {"nonce":1, "action" : {"type":"x","a":[1]} ,"signature":{}}';
    const scan = scanEnvelope(text);
    if (!scan.ok || scan.actionRange === undefined) throw new Error('refused');
    expect(text.slice(...scan.actionRange)).toBe('{"type":"x","a":[1]}');
    expect(scan.action).toEqual(encode({ type: 'x', a: [1] }));
  });

  test('the name of the action may be escaped, and fields of that name may also occur at deeper levels', () => {
    const scan = scanEnvelope('{"x":{"action":1},"\\u0061ction":{"b":2}}');
    expect(scan).toMatchObject({ ok: true, action: encode({ b: 2 }) });
  });

  test('scanEnvelope accepts an envelope without an action', () => {
    expect(scanEnvelope('{"nonce":1}')).toMatchObject({ ok: true, action: undefined });
  });

  test('the action of a multiSig wrapper can be hashed without its type', () => {
    const action = { signatures: [1], type: 'multiSig', payload: {} };
    const scan = scanEnvelope(JSON.stringify({ action }));
    if (!scan.ok || scan.action === undefined) throw new Error('refused');
    expect(mapWithout(scan.action, 'type')).toEqual(encode({ signatures: [1], payload: {} }));
  });

  test('a key with a byte order mark differs from the same key without it', () => {
    const action = { '\ufefftype': 'multiSig', type: 'order' };
    const scan = scanEnvelope(JSON.stringify({ '\ufeffaction': 1, action }));
    expect(scan).toMatchObject({ ok: true, action: encode(action) });
    expect(mapWithout(encode(action), 'type')).toEqual(encode({ '\ufefftype': 'multiSig' }));
    const many = Array.from({ length: 20 }, (_, index) => `"k${index}":0`).join(',');
    expect(fault(`{${many},"\ufeffk1":0}`)).toBeUndefined();
  });

  test('scanEnvelope rejects an envelope that is not an object', () => {
    expect(scanEnvelope('[]')).toEqual({ ok: false, message: 'not an object', at: 0 });
  });
});

/**
 * The values are like those in actions. Keys do not look like integers, because JSON.parse would
 * move them.
 */
const key = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !/^[0-9]/.test(text));
const action = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.maxSafeInteger(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.array(tie('value'), { maxLength: 20 }),
    fc.dictionary(key, tie('value'), { maxKeys: 20, noNullPrototype: true }),
  ),
})).value;

describe('the strict reader agrees with JSON.parse', () => {
  test('a text encodes to the same bytes as the value returned by JSON.parse', () => {
    fc.assert(
      fc.property(action, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent).replaceAll('__proto__', '_proto_');
        expect(jsonToMsgpack(text)).toEqual(encode(JSON.parse(text)));
      }),
    );
  });

  test('JSON.parse also accepts every text that the strict reader accepts', () => {
    // Random sequences of JSON fragments cover the grammar far better than random text.
    const part = fc.constantFrom(...'{}[],:" \\eE.-01a'.split(''), '"a":', '\\u00e9', 'true', '12');
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (candidate) => {
        const parsed = parsedOrUndefined(candidate);
        if (checkJson(candidate).ok) expect(parsed).toBeDefined();
        else if (parsed !== undefined) expect(isStrictRule(fault(candidate))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test('the strict reader rejects JSON only for a number that is not a safe integer', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const isStrict = !/\.|e[+-]?\d|-0/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'));
        const found = fault(text);
        if (found === undefined) expect(isStrict).toBe(true);
        else expect(isStrictRule(found)).toBe(true);
      }),
    );
  });

  test('an object with a repeated key is rejected, however the key is spelt', () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 40 }), fc.nat(), (keys, pick) => {
        const twice = keys[pick % keys.length] ?? '';
        const body = keys.map((name) => `${JSON.stringify(name)}:0`).join(',');
        expect(checkJson(`{${body}}`).ok).toBe(true);
        expect(fault(`{${body},${escapeAll(twice)}:0}`)).toMatch('duplicate key');
      }),
    );
  });

  test('removing a key from the bytes equals omitting it from the object', () => {
    const object = fc.dictionary(key, action, { minKeys: 1, maxKeys: 20, noNullPrototype: true });
    fc.assert(
      fc.property(object, fc.nat(), (value, pick) => {
        const keys = Object.keys(value);
        const cut = keys[pick % keys.length] ?? '';
        const { [cut]: field, ...rest } = value;
        const bytes = encode(value);
        expect(mapWithout(bytes, cut)).toEqual(encode(rest));
        expect(new Uint8Array(mapEntry(bytes, cut) ?? [])).toEqual(encode(field));
        if (typeof field === 'string') {
          expect(stringOf(mapEntry(bytes, cut) ?? new Uint8Array())).toBe(field);
        }
      }),
    );
  });
});

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isStrictRule(message: string | undefined): boolean {
  return /^(duplicate key|not an integer|negative zero|integer too large|lone surrogate)/.test(
    message ?? '',
  );
}

function escapeAll(text: string): string {
  const units = text.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}
