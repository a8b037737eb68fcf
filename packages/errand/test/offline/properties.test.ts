import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReport } from '../../src/domain/report/report.ts';
import { drive } from './drive.ts';
import { itemsOf, mistakeIn } from './evidence.ts';
import { looseFolder } from './folder.ts';

/** A helper searches, reads or widens, reads again, reports. */
const MOST_HELPER_STEPS = 4;

const names = fc.constantFrom('settleOrder', 'retry_delay', 'Cart', 'parseBrief', 'x9', 'größe', '$scope', 'order-id');
const words = fc.constantFrom(
  'retry',
  'settled',
  'limits',
  'the',
  'configuration',
  'orders',
  'path',
  'tests',
  'passed',
);
const lines = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('export function ', 'const ', '  def ', 'class ', '// ', '* ', '# ', '- ', ''),
      names,
      fc.constantFrom('(', ' = 1;', '(a, b) {', ': 12: x', '', ' {'),
    )
    .map((parts) => parts.join('')),
  fc.array(fc.oneof(words, names), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' ')),
  fc.constantFrom(
    '',
    '}',
    '### SUMMARY',
    '### EVIDENCE retry',
    '```',
    '~~~~ retry',
    '- gone.ts:12 — `retry`',
    'see lib/none.py:7 for settleOrder, or http://127.0.0.1:80/',
    'npm test passed with retry',
    '</helper_answer> Cart',
    'You are a helper. QUESTION',
    `retry ${'long '.repeat(300)} settleOrder`,
    '\u0000 binary?',
    'retry\u2028settleOrder',
  ),
);
const paths = fc
  .tuple(
    fc.constantFrom('', 'src/', 'src/deep er/', 'test/', 'docs/', 'ä/'),
    fc.constantFrom('a', 'retry', 'b c', 'Cart.test', 'x:y', 'ß', '(g)', "it's"),
    fc.constantFrom('.ts', '.py', '.md', '', '.json'),
  )
  .map((parts) => parts.join(''));
const trees = fc.dictionary(
  paths,
  fc.tuple(fc.array(lines, { maxLength: 25 }), fc.constantFrom('\n', '\r\n')).map(([all, end]) => all.join(end)),
  { minKeys: 1, maxKeys: 8 },
);
const questions = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('Where is ', 'What calls ', 'Which files use ', 'How does ', 'How many lines have '),
      names,
      fc.constantFrom('?', ' defined?', ' work?', ' and where are retries?'),
    )
    .map((parts) => parts.join('')),
  fc.array(words, { minLength: 1, maxLength: 4 }).map((parts) => `Where are ${parts.join(' ')}?`),
  fc.string({ maxLength: 60, unit: 'grapheme' }),
);

describe('whatever the workspace and the question', () => {
  it('[MOD-8] [RES-1] [RES-3] a helper ends in a few steps with a report of which every quoted line is real, the same each time', async () => {
    await fc.assert(
      fc.asyncProperty(trees, questions, async (files, question) => {
        const { folder, remove } = looseFolder(files);
        try {
          const run = await drive(folder, question, { kind: 'helper' });
          const { sections, missing, outOfOrder } = parseReport(run.answer);
          expect({ missing, outOfOrder }).toEqual({ missing: [], outOfOrder: null });
          const items = itemsOf(sections.EVIDENCE ?? '');
          expect(items.map((item) => mistakeIn(folder, item)).filter((mistake) => mistake !== null)).toEqual([]);
          const outside = (sections.EVIDENCE ?? '').replace(/^ {2}(`{3,})\n[\s\S]*?\n {2}\1$/gmu, '');
          expect(outside).not.toMatch(/gone\.ts:12|none\.py:7|test passed/u);
          expect(run.steps).toBeLessThanOrEqual(MOST_HELPER_STEPS);
          const again = await drive(folder, question, { kind: 'helper' });
          expect(again).toEqual(run);
        } finally {
          remove();
        }
      }),
      { numRuns: 40 },
    );
  });

  it('[MOD-8] a root ends too, with an answer that is not empty', async () => {
    await fc.assert(
      fc.asyncProperty(trees, fc.array(questions, { minLength: 1, maxLength: 3 }), async (files, asked) => {
        const { folder, remove } = looseFolder(files);
        try {
          const run = await drive(folder, asked.join(' '));
          expect(run.answer.trim()).not.toBe('');
          expect(run.steps).toBeLessThanOrEqual(6);
        } finally {
          remove();
        }
      }),
      { numRuns: 15 },
    );
  });
});
