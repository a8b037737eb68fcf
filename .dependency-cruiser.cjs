/**
 * The floors of the house: who may import whom. Type-only and lazy imports count like any other.
 * `tools/floors.mjs` runs this and fails when fewer modules were read than there are files.
 */
const SRC = '^packages/errand/src';

/**
 * room → what it may import besides itself (rooms, or paths below src), the npm packages it may use by name,
 * and whether it may touch `node:*`. A room that is not listed may import nothing at all.
 */
const ROOMS = {
  base: { rooms: [], packages: [], node: false },
  domain: { rooms: ['base'], packages: [], node: false },
  ports: { rooms: ['base', 'domain'], packages: [], node: false },
  engine: { rooms: ['base', 'domain', 'ports', 'prompts'], packages: [], node: false },
  prompts: { rooms: ['base', 'domain'], packages: [], node: false },
  tools: { rooms: ['base', 'domain', 'ports', 'prompts'], packages: ['zod', 'ajv'], node: false },
  models: { rooms: ['base', 'domain', 'ports'], packages: ['@ai-sdk/[^/]+'], node: true },
  stores: { rooms: ['base', 'domain', 'ports'], packages: ['kysely'], node: true },
  host: { rooms: ['base', 'domain', 'ports'], packages: ['execa', 'tinyglobby', '@vscode/ripgrep'], node: true },
  protocols: { rooms: ['base', 'domain', 'ports'], packages: [], node: true },
  app: {
    rooms: ['base', 'domain', 'ports', 'engine', 'prompts', 'tools', 'models', 'stores', 'host', 'protocols'],
    packages: ['env-paths', 'smol-toml'],
    node: true,
  },
  // A command composes the live view, so cli may use terminal; never the other way round.
  cli: { rooms: ['base', 'domain', 'app', 'terminal', 'protocols/http/contract'], packages: ['commander'], node: true },
  terminal: { rooms: ['base', 'domain', 'app', 'protocols/http/contract'], packages: ['log-update'], node: true },
  testing: { rooms: ['base', 'domain', 'ports'], packages: [], node: true },
};

/** Rooms of one folder per kind: a folder may not import its sibling; `shared` belongs to all and imports none. */
const SIBLINGS = ['tools', 'models', 'stores', 'protocols'];

/** Types of open standards, which exist at compile time only. */
const STANDARD_TYPES = ['@standard-schema/spec', '@types/json-schema'];

/** Every folder of ours that holds modules, and never a package in somebody's node_modules. */
const OURS = '^(?:packages|bench|examples|tools)/(?!.*node_modules/)';
const NOT_A_TEST = '\\.test\\.ts$';
const anyOf = (paths) => `(?:${paths.join('|')})`;
const inside = (room) => `${SRC}/${room}(?:/|\\.ts$)`;
const packages = (names) => `(?:^|/)node_modules/${anyOf(names)}(?:/|$)`;

function rulesOf([room, { rooms, packages: names, node }]) {
  const from = { path: `${SRC}/${room}/`, pathNot: NOT_A_TEST };
  const rules = [
    {
      name: `floor-${room}`,
      comment: `${room} may import ${rooms.join(', ') || 'nothing'} of this repository.`,
      severity: 'error',
      from,
      to: { path: OURS, pathNot: [room, ...rooms].map(inside) },
    },
    {
      name: `packages-${room}`,
      comment: `${room} may use these npm packages: ${names.join(', ') || 'none'}.`,
      severity: 'error',
      from,
      to: { path: '(?:^|/)node_modules/', pathNot: packages([...names, ...STANDARD_TYPES]) },
    },
  ];
  if (node) return rules;
  const comment = `${room} runs anywhere: what Node gives comes in through a port.`;
  return [...rules, { name: `node-${room}`, comment, severity: 'error', from, to: { dependencyTypes: ['core'] } }];
}

function siblingRules(room) {
  const anyFolder = `${SRC}/${room}/([^/]+)/`;
  return [
    {
      name: `siblings-${room}`,
      comment: `One folder of ${room} does not know another; what they share lives in ${room}/shared.`,
      severity: 'error',
      from: { path: anyFolder, pathNot: NOT_A_TEST },
      to: { path: anyFolder, pathNot: [`${SRC}/${room}/$1/`, `${SRC}/${room}/shared/`] },
    },
  ];
}

module.exports = {
  forbidden: [
    ...Object.entries(ROOMS).flatMap(rulesOf),
    ...SIBLINGS.flatMap(siblingRules),
    {
      name: 'known-room',
      comment: 'A new room gets its floor here first.',
      severity: 'error',
      from: { path: `${SRC}/[^/]+/`, pathNot: Object.keys(ROOMS).map(inside) },
      to: { path: '.' },
    },
    {
      name: 'package-root',
      comment: 'The package root shows app, domain, base and ports.',
      severity: 'error',
      from: { path: `${SRC}/[^/]+\\.ts$` },
      to: { path: '.', pathNot: ['app', 'domain', 'base', 'ports'].map(inside) },
    },
    {
      name: 'console-contract-only',
      comment: 'The console sees the HTTP contract and nothing else of the package.',
      severity: 'error',
      from: { path: '^packages/console/' },
      to: { path: '^packages/errand/', pathNot: inside('protocols/http/contract') },
    },
    {
      name: 'no-cycles',
      comment: 'Two modules that need each other are one module, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'An import that resolves to nothing: a typing error, or a package that is not installed.',
      severity: 'error',
      from: { path: SRC },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'packages/errand/tsconfig.json' },
    combinedDependencies: true,
    doNotFollow: { path: ['node_modules', '^packages/[^/]+/dist/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
