import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEADINGS, parseReport } from '../../src/domain/report/report.ts';

const whole = HEADINGS.map((heading) => `### ${heading}\n${heading.toLowerCase()} text`).join('\n\n');

describe('the report of a helper', () => {
  it('[RES-1] is read into its five sections', () => {
    expect(parseReport(`before\n${whole}`)).toEqual({
      sections: {
        SUMMARY: 'summary text',
        EVIDENCE: 'evidence text',
        CHANGES: 'changes text',
        RISKS: 'risks text',
        BLOCKERS: 'blockers text',
      },
      missing: [],
      outOfOrder: null,
    });
  });

  it('[RES-1] says which headings are missing and invents none', () => {
    const report = parseReport('### SUMMARY\nfound\n### RISKS\nnone');
    expect(report.missing).toEqual(['EVIDENCE', 'CHANGES', 'BLOCKERS']);
    expect(report.sections.EVIDENCE).toBeNull();
    expect(parseReport('').missing).toEqual([...HEADINGS]);
  });

  it('[RES-1] sees the wrong order', () => {
    const swapped = ['SUMMARY', 'CHANGES', 'EVIDENCE', 'RISKS', 'BLOCKERS']
      .map((heading) => `### ${heading}\nx`)
      .join('\n');
    expect(parseReport(swapped).outOfOrder).toBe('EVIDENCE');
  });

  it('[RES-1] takes text in code blocks for quoted', () => {
    const report = parseReport('### SUMMARY\n```md\n### EVIDENCE\n```\n~~~\n```\n### CHANGES\n~~~\n### RISKS\nnone');
    expect(report.missing).toEqual(['EVIDENCE', 'CHANGES', 'BLOCKERS']);
    expect(report.sections.SUMMARY).toContain('### EVIDENCE');
  });

  it('[RES-1] reads any text without failing, and every section it reports is in the text', () => {
    const line = fc.oneof(
      fc.constantFrom(...HEADINGS.map((heading) => `### ${heading}`), '```', '~~~', '#### SUMMARY'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('\n');
        const report = parseReport(text);
        for (const heading of HEADINGS) {
          const section = report.sections[heading];
          expect(section === null).toBe(report.missing.includes(heading));
          if (section) expect(text.replace(/\r\n/gu, '\n')).toContain(section);
        }
      }),
    );
  });
});
