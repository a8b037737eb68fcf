/** What kind of file a path names, by the customs of most repositories. */
export type PathClass =
  | 'source'
  | 'types'
  | 'tests'
  | 'docs'
  | 'config'
  | 'tooling'
  | 'locales'
  | 'examples'
  | 'fixtures'
  | 'generated';

export function classOf(path: string): PathClass {
  return CLASSES.find(([, pattern]) => pattern.test(path))?.[0] ?? 'source';
}

/** The first that fits decides. */
const CLASSES: readonly (readonly [PathClass, RegExp])[] = [
  [
    'generated',
    /(?:^|\/)(?:dist|build|out|coverage|vendor|third_party|node_modules|\.next|target|__generated__|__snapshots__)\/|\.min\.|\.map$|[.-]lock(?:\.\w+)?$|\.snap$|[.-]generated\.|(?:^|\/)generated\.|_pb2?\.|(?:^|\/)(?:CHANGELOG|CHANGES|HISTORY)\b/iu,
  ],
  ['fixtures', /(?:^|\/)(?:__)?(?:fixtures?|testdata|mocks?|cassettes|recordings)(?:__)?\//iu],
  [
    'tests',
    /(?:^|\/)(?:tests?|testing|__tests__|specs?|e2e)\/|[._-](?:test|spec|tests)\.[^/]+$|(?:^|\/)test_[^/]+\.py$|(?:^|\/)conftest\.py$|Tests?\.(?:java|cs|kt|swift)$/iu,
  ],
  ['examples', /(?:^|\/)(?:examples?|demos?|samples?|bench(?:mark(?:s|ing)?)?)\//iu],
  ['locales', /(?:^|\/)(?:locales?|i18n|translations?|lang|languages)\//iu],
  ['docs', /\.(?:mdx?|rst|txt|adoc|org)$|(?:^|\/)docs?\/|(?:^|\/)(?:README|LICENSE|NOTICE|AUTHORS)/iu],
  // What is beside the source, not in it; and what tools keep at the top, hidden or `x.config.ts`.
  [
    'tooling',
    /^(?!(?:.*\/)?(?:src|lib|source)\/)(?:.*\/)?(?:tools?|scripts?|\.[^/]+)\/|(?:^|\/)\.[^/]+$|\.config\.[cm]?[jt]s$/iu,
  ],
  ['config', /\.(?:jsonc?|ya?ml|toml|ini|cfg|conf|xml|properties|env|csv|jsonl)$/iu],
  ['types', /\.d\.[cm]?ts$|\.pyi$/iu],
];
