const STATUSES = ['built', 'partial'];
const PAINS = 30;

/**
 * Brings rows, claims and tests together.
 * @returns {{ rows: Record<string, { status: string, tests: string[], why?: string }>, pains: Record<string, string[]>, problems: string[] }}
 */
export function judge({ rows, claims, tests }) {
  const known = new Set(rows.map((row) => row.id));
  const pains = new Set(Array.from({ length: PAINS }, (_, index) => `PAIN-${index + 1}`));
  const citing = (id) => tests.filter((test) => test.ids.includes(id));
  const problems = [
    ...tests.flatMap((test) => testProblems(test, (id) => known.has(id) || pains.has(id))),
    ...Object.entries(claims).flatMap(([id, claim]) => claimProblems({ id, claim, known, tests: citing(id) })),
  ];
  const table = {};
  for (const { id } of rows) {
    const { status = 'none', why } = claims[id] ?? {};
    table[id] = { status, tests: citing(id).map((test) => test.title), ...(why ? { why } : {}) };
  }
  const painTable = {};
  for (const id of pains) if (citing(id).length > 0) painTable[id] = citing(id).map((test) => test.title);
  return { rows: table, pains: painTable, problems };
}

function testProblems(test, exists) {
  const where = `${test.at}: '${test.title}'`;
  const problems = test.ids.filter((id) => !exists(id)).map((id) => `${where} cites ${id}, which is no row`);
  if (!test.asserts && !test.never) problems.push(`${where} asserts nothing`);
  if (test.skipped && test.reason === null) problems.push(`${where} is skipped and nobody says why`);
  return problems;
}

function claimProblems({ id, claim, known, tests }) {
  const problems = [];
  if (!known.has(id)) problems.push(`claims.json: ${id} is no row`);
  if (!STATUSES.includes(claim.status))
    problems.push(`claims.json: ${id} has status '${claim.status}': ${STATUSES.join(' or ')}`);
  if (claim.status === 'partial' && !claim.why?.trim())
    problems.push(`claims.json: ${id} is partial: say in 'why' what is missing`);
  if (!tests.some((test) => !test.never))
    problems.push(`claims.json: ${id} is claimed, and no test that runs cites it`);
  return problems;
}
