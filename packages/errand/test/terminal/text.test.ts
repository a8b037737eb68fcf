import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cells, fit, pad, printable, printableText } from '../../src/terminal/text.ts';

describe('width in cells', () => {
  test.each([
    ['', 0],
    ['plain', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['日本語', 6],
    ['한국어', 6],
    ['ｆｕｌｌ', 8],
    ['🙂', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['✓●○◌✗⊘‖├─└│', 11],
    ['…', 1],
    ['Ж', 1],
    ['ا', 1],
    ['नी', 2],
    ['1️⃣', 2],
    ['👍🏽', 2],
  ])('[SUR-1] %j takes %d', (text, width) => {
    expect(cells(text)).toBe(width);
  });

  test('[SUR-1] what is fitted is never wider than asked for, and unchanged where it fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(50), (raw, width) => {
        const text = printable(raw);
        expect(cells(fit(text, width))).toBeLessThanOrEqual(width);
        if (cells(text) <= width) expect(fit(text, width)).toBe(text);
      }),
    );
  });

  test('[SUR-1] what is padded is exactly as wide as asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 60 }), (raw, width) => {
        expect(cells(pad(printable(raw), width))).toBe(width);
        expect(cells(pad(printable(raw), width, 'start'))).toBe(width);
      }),
    );
  });
});

describe('what a model writes does not steer the terminal', () => {
  test.each([
    ['a\u001b[31mb', 'a[31mb'],
    ['a\u001b]0;title\u0007b', 'a]0;titleb'],
    ['a\u009b2Jb', 'a2Jb'],
    ['one\ntwo\tthree\r\n', 'one two three'],
    ['a\u202egnp.exe', 'agnp.exe'],
    ['a\u200bb\u2060c\ufeff', 'abc'],
    ['\u0000\u007f\u0085', ''],
    ['broken \ud83d half', 'broken  half'],
  ])('[SUR-1] %j is shown as %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('[SUR-1] nothing gets a control character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
        expect(printableText(text)).not.toMatch(/(?![\n\t])\p{Cc}/u);
      }),
    );
  });

  test('[SUR-1] an answer keeps its lines', () => {
    expect(printableText('a\r\n\tb\u001b[2J\n')).toBe('a\n\tb[2J\n');
  });
});
