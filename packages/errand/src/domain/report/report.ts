/** The five headings that every helper ends with, in order. */
export const HEADINGS = ['SUMMARY', 'EVIDENCE', 'CHANGES', 'RISKS', 'BLOCKERS'] as const;
export type Heading = (typeof HEADINGS)[number];

/** A helper's report as data. */
export interface Report {
  readonly sections: Readonly<Record<Heading, string | null>>;
  /** Headings that are not there; noted, never invented. */
  readonly missing: readonly Heading[];
  /** The first heading that comes after one which it should precede; null when the order is right or headings are missing. */
  readonly outOfOrder: Heading | null;
}

/** Reads a report. Headings inside code blocks are quoted text and none; of two the first counts. */
export function parseReport(text: string): Report {
  const sections: Record<Heading, string | null> = {
    SUMMARY: null,
    EVIDENCE: null,
    CHANGES: null,
    RISKS: null,
    BLOCKERS: null,
  };
  const order: Heading[] = [];
  let current: { heading: Heading; lines: string[] } | null = null;
  let fence: string | null = null;
  const close = () => {
    if (current) sections[current.heading] = current.lines.join('\n').trim();
  };
  for (const line of text.split(/\r?\n/u)) {
    fence = fenceAfter(line, fence);
    const heading = fence === null ? headingOf(line) : null;
    if (heading && !order.includes(heading)) {
      close();
      order.push(heading);
      current = { heading, lines: [] };
    } else {
      current?.lines.push(line);
    }
  }
  close();
  const missing = HEADINGS.filter((heading) => !order.includes(heading));
  return { sections, missing, outOfOrder: missing.length > 0 ? null : firstOutOfOrder(order) };
}

function headingOf(line: string): Heading | null {
  const name = /^ {0,3}#{3}[ \t]+([A-Za-z]+)[ \t]*:?[ \t]*#*[ \t]*$/u.exec(line)?.[1]?.toUpperCase();
  return HEADINGS.find((heading) => heading === name) ?? null;
}

/** The fence that is open after `line`, as CommonMark reads it. */
function fenceAfter(line: string, open: string | null): string | null {
  const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/u.exec(line);
  if (!mark?.[1]) return open;
  if (open === null) return mark[1].startsWith('`') && mark[2]?.includes('`') ? null : mark[1];
  const closes = mark[1][0] === open[0] && mark[1].length >= open.length && mark[2]?.trim() === '';
  return closes ? null : open;
}

function firstOutOfOrder(order: readonly Heading[]): Heading | null {
  let highest = -1;
  for (const heading of order) {
    const place = HEADINGS.indexOf(heading);
    if (place < highest) return heading;
    highest = place;
  }
  return null;
}
