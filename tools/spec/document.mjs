const WORDS = { built: 'built', partial: 'partial', none: 'not yet' };

/** docs/CONFORMANCE.md: every row with its state, by chapter. */
export function renderDocument(rows, judged) {
  const of = (status) => rows.filter(({ id }) => judged[id].status === status).length;
  const chapters = Map.groupBy(rows, (row) => row.chapter);
  const lines = [
    '# What is built',
    '',
    'Every behaviour of the specification and its state. Generated from `spec/rows.json`, `spec/claims.json` and the tests by',
    '`npm run spec -- --write`; do not edit. A row is built when a test that cites its id drives the real code;',
    '`npm run spec` lists the tests.',
    '',
    `Of ${rows.length} rows ${of('built')} are built, ${of('partial')} in part, ${of('none')} not yet.`,
  ];
  for (const [chapter, members] of chapters) {
    lines.push('', `## ${chapter}`, '', '| id | state | behaviour |', '|---|---|---|');
    for (const { id, text } of members) lines.push(`| ${id} | ${stateOf(judged[id])} | ${text} |`);
  }
  return `${lines.join('\n')}\n`;
}

function stateOf({ status, why }) {
  return why ? `${WORDS[status]}: ${why.replaceAll('|', '\\|').replace(/\s+/g, ' ')}` : WORDS[status];
}
