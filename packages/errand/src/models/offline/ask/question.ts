import { isForeign } from './language.ts';
import { splitSentences } from './split.ts';
import { identifierTerm, type Term, termsOf, variantsOf, wordTerm } from './terms.ts';

export type Intent = 'definition' | 'callers' | 'heirs' | 'files' | 'count' | 'text' | 'how' | 'topic';

/** One thing to find out. */
export interface Question {
  readonly text: string;
  readonly intent: Intent;
  readonly terms: readonly Term[];
  /** The kind of files that it asks about, where it says one. */
  readonly about: 'tests' | 'docs' | null;
}

/** A request taken apart. */
export interface Inquiry {
  readonly questions: readonly Question[];
  /** Sentences that ask nothing and tell something. */
  readonly background: readonly string[];
  /** Sentences that ask for what a search cannot do. */
  readonly refused: readonly string[];
  /** A part of it is written in another language: of that only names of code are understood. */
  readonly foreign: boolean;
  /** How many questions beyond the limit were left out. */
  readonly left: number;
}

const POLITE =
  /^(?:(?:hi|hello|hey)(?: there)?[,!.]?\s+|please[,\s]+|kindly\s+|(?:can|could|would|will) (?:you|we|someone)\s+(?:please\s+)?|i(?:'d| would) like (?:you )?to\s+(?:know\s+)?|i (?:want|need) (?:you )?to\s+(?:know\s+)?|help me\s+(?:to\s+)?|let(?:'s| us)\s+|do you know\s+|(?:now|then|first|next),?\s+|i wonder\s+|tell me,?\s+)+/iu;
const POLITE_END = /[\s,.!]*\b(?:thanks|thank you|please|thx|cheers)[\s.!]*$/iu;
const ASKS =
  /^(?:in\s+(?:which|what)|where|what|which|who|whose|how|why|when|is|are|do|does|did|has|have|was|were|can|could|should|find|search|locate|look|list|show|quote|grep|name|give|check|verify|determine|identify|investigate|explain|describe|count|trace|see|get)\b/iu;
/** Work that is no search, where it opens a sentence; the second group needs an object to be told from a noun. */
const WORK =
  /^(?:write|implement|fix|refactor|rewrite|add|create|delete|remove|rename|edit|generate|translate|summari[sz]e|paraphrase|compose|draft|install|optimi[sz]e|improve|suggest|recommend|calculate|compute|solve|migrate|convert|modify|debug|sing|say|tell (?:me|us) (?:a|an|some)\b|give me (?:your|an?) (?:opinion|advice|joke|poem|story|summary|review)|(?:change|update|upgrade|run|execute|deploy|commit|push|merge|build|make|test|format|review|rate|judge|design|plan|replace|move|document|explain why you|play)\s+(?:me|us|a|an|the|this|that|these|it|my|our|your|some|all|every|each|new|unit|everything|`))/iu;
const OPINION =
  /\b(?:do you think|your (?:opinion|view|advice)|should (?:we|i|you)|what would you|would you rather|which is (?:better|best|nicer)|is it (?:good|better|bad|worth|wise|ok)|pros and cons|(?:do|would) you (?:recommend|suggest|prefer|like)|best way|better way)\b/iu;
const SELF =
  /\b(?:who|what) are you\b|\bwhat can you do\b|\bare you (?:a|an|chat|gpt|claude|human|there)\b|\bwhich model are you\b|\byour name\b|\bhow are you\b/iu;
const SUM =
  /^(?:what(?:'s| is)?|calculate|compute|how much is)?\s*\(*\d[\d\s().,]*(?:[+*/^%x×÷−-]\s*\(*\d[\d\s().,]*)+[=?]*\s*\??$/iu;
const PLEASANTRY =
  /^(?:hi|hello|hey|yo|thanks?|thank you|good (?:morning|evening|afternoon|day|night)|bye|goodbye|ok|okay|yes|no|sure|cool|great|nice|test|ping|please|welcome)(?:[\s,!.]+(?:there|you|all|everyone|a lot|very much|so much|errand|again|please|in advance))*[\s!.?]*$/iu;
const PRONOUN = /\b(?:it|its|they|them|their|this|that|these|those)\b/iu;

/** Characters of one question; what is longer is pasted text. */
const LONGEST_QUESTION = 2_000;

/** Takes a request apart. `earlier` is what was asked before, for a question that only says "it"; `most`: questions that are looked into. */
export function readRequest(text: string, earlier: string | null, most: number): Inquiry {
  const questions: Question[] = [];
  const background: string[] = [];
  const refused: string[] = [];
  let before = earlier;
  for (const sentence of splitSentences(text)) {
    const core = sentence.replace(POLITE, '').replace(POLITE_END, '');
    if (PLEASANTRY.test(sentence) || core === '') continue;
    if (isOtherWork(core)) refused.push(sentence);
    else if (ASKS.test(core) || /[?？]$/u.test(core)) questions.push(questionOf(core, before));
    else background.push(sentence);
    before = core;
  }
  const useful = [...new Map(questions.filter(isSearchable).map((question) => [question.text, question])).values()];
  refused.push(...questions.filter((question) => !isSearchable(question)).map(({ text: asked }) => asked));
  const taken = {
    questions: useful.slice(0, most),
    background,
    refused,
    foreign: useful.some((question) => isForeign(question.text)) || [...background, ...refused].some(isForeign),
    left: Math.max(0, useful.length - most),
  };
  if (useful.length > 0 || refused.length > 0 || background.length === 0) return taken;
  // Nothing but statements or key words: they are the question, all together.
  const whole = questionOf(background.join(' '), earlier);
  return isSearchable(whole) ? { ...taken, questions: [whole], background: [] } : taken;
}

function isOtherWork(sentence: string): boolean {
  return WORK.test(sentence) || OPINION.test(sentence) || SELF.test(sentence) || SUM.test(sentence);
}

function isSearchable(question: Question): boolean {
  return question.terms.some((term) => term.kind !== 'folder' && term.kind !== 'weak');
}

function questionOf(asked: string, before: string | null): Question {
  const text = asked.length > LONGEST_QUESTION ? `${asked.slice(0, LONGEST_QUESTION)}…` : asked;
  const foreign = isForeign(text);
  const own = foreign ? namesOnly(text) : namedByPlace(promoted(termsOf(withoutFrame(text))), text);
  const words = own.filter((term) => term.kind === 'word');
  const dangling = !foreign && before !== null && !own.some(isOwn) && PRONOUN.test(text) && words.length < 2;
  const lent = dangling ? subjectOf(before) : [];
  const shown =
    lent.length > 0 ? `${text.replace(/[?!.\s]*$/u, '')} (${lent.map((term) => quoteTerm(term)).join(', ')})?` : text;
  return {
    text: shown,
    intent: intentOf(text),
    terms: [...lent, ...own.filter((term) => !lent.includes(term)), ...variantsOf([...lent, ...own])],
    about: aboutOf(text),
  };
}

/** What is written as only code is, or quoted; a capital means nothing in another language. */
function namesOnly(text: string): Term[] {
  const marked = [...text.matchAll(/`[^`]*`|"[^"]*"|“[^”]*”/gu)].map(([span]) => span).join(' ');
  return termsOf(text).filter(
    (term) =>
      isOwn(term) && term.kind !== 'idiom' && (!/^\p{L}\p{Ll}*$/u.test(term.text) || marked.includes(term.text)),
  );
}

/** What a question or another sentence is about: its names and quotations, else its words. */
function subjectOf(sentence: string): Term[] {
  const text = sentence.slice(0, LONGEST_QUESTION);
  const terms = namedByPlace(promoted(termsOf(withoutFrame(text))), text).filter((term) => term.kind !== 'weak');
  const strong = terms.filter(isOwn);
  return (strong.length > 0 ? strong : terms).slice(0, 3);
}

/** Without the words that say what kind of thing is to be named: "which files", "covered by tests", "in the docs". */
function withoutFrame(text: string): string {
  const kinds =
    'files?|modules?|folders?|director(?:y|ies)|packages?|functions?|methods?|class(?:es)?|places?|lines?|times?|parts?|code|scripts?|components?';
  return text
    .replace(/^(how (?:do|does|did) .+) works?(?=[?.!\s]*$)/iu, '$1')
    .replace(
      new RegExp(
        `\\b(which|what|list|all|any|other|the|many|number of)\\s+(?:the\\s+|all\\s+|other\\s+|source\\s+)*(?:${kinds})\\b(?!\\s*[(.])`,
        'giu',
      ),
      '$1',
    )
    .replace(/\b(?:(?:unit |end-to-end |integration )?tests?|tested|specs?|cover(?:s|ed|age|ing)?)\b/giu, (word) =>
      aboutOf(text) === 'tests' ? ' ' : word,
    )
    .replace(/\b(?:docs?|documentation|documented|readme|guides?|manual)\b(?![.\w])/giu, (word) =>
      aboutOf(text) === 'docs' ? ' ' : word,
    );
}

function isOwn(term: Term): boolean {
  return term.kind !== 'word' && term.kind !== 'weak' && term.kind !== 'folder';
}

/** The only word of "what calls X" or "where is X defined" is a name of code. */
function namedByPlace(terms: readonly Term[], text: string): Term[] {
  const [only, ...others] = terms.filter((term) => term.kind !== 'folder');
  const asked =
    /\b(?:call(?:s|ed|ers?)?|us(?:es?|ed)|invoke[sd]?|import(?:s|ed)?|define[sd]?|definition|declare[sd]?|declaration|extends?|implements?|inherits?|instantiate[sd]?|references?|referenced)\b/iu;
  if (only?.kind !== 'word' || others.length > 0 || !asked.test(text) || only.text.includes('-')) return [...terms];
  return terms.map((term) => (term === only ? identifierTerm(term.text) : term));
}

function quoteTerm(term: Term): string {
  return term.kind === 'phrase' ? `"${term.text}"` : `\`${term.text}\``;
}

/** With fewer than two rare words and nothing stronger, common words have to do. */
function promoted(terms: readonly Term[]): Term[] {
  const strong = terms.some(isOwn);
  const words = terms.filter((term) => term.kind === 'word').length;
  if (strong || words > 1) return [...terms];
  return terms.map((term) => (term.kind === 'weak' ? { ...wordTerm(term.text), kind: 'word' as const } : term));
}

function intentOf(text: string): Intent {
  if (/\bhow (?:many|often)\b|\bcount\b|\bnumber of\b/iu.test(text)) {
    const ofCalls =
      /\b(?:calls?|called|callers?|call sites|invokes?|invoked|invocations?|usages?|(?:is|are) \S+ used)\b/iu.test(
        text,
      );
    return ofCalls && !/\bfiles\b/iu.test(text) ? 'callers' : 'count';
  }
  if (
    /\b(?:what|who|which(?: \w+){0,3})\s+(?:implements?|extends?|inherits? from|subclass(?:es)?|derives? from)\b|\b(?:implement(?:ations?|ers)|subclasses) of\b/iu.test(
      text,
    )
  )
    return 'heirs';
  if (isAboutCallers(text)) return 'callers';
  if (
    /\b(?:which|what|list|all|any|find|show)\b[^.?]*\b(?:files?|modules?|folders?|directories|documents?|packages?|tests?|places)\b/iu.test(
      text,
    )
  )
    return 'files';
  if (
    /\b(?:error|message|warning|text|string|exception|output|prints?|printed|says?|mean|means)\b/iu.test(text) &&
    /["“«`']/u.test(text)
  )
    return 'text';
  if (
    /\b(?:where|which|what|find|locate|show)\b[^.?]*\b(?:defin\w+|declar\w+|implement\w*|made|created?|settled?|set|computed?|decided?|liv(?:e|es|ing)|located|com(?:e|es) from|kept|stored|handled|found)\b/iu.test(
      text,
    )
  ) {
    return 'definition';
  }
  if (/^(?:how|why|explain|describe|what (?:does|do|happens?|is|are))\b/iu.test(text)) return 'how';
  return /^where\b/iu.test(text) ? 'definition' : 'topic';
}

function isAboutCallers(text: string): boolean {
  if (
    /\b(?:callers?|usages?|users|uses|call sites?|consumers?|references|dependents|importers) of\b|\bcall sites?\b/iu.test(
      text,
    )
  )
    return true;
  const active =
    /\b(?:what|who|which(?: \w+){0,3}|anything|anybody|where do we|places that|everything that|files? that|code that)\s+(?:\w+ly\s+)?(?:else\s+)?(?:calls?|uses?|invokes?|imports?|consumes?|instantiates?|references?|depends? (?:up)?on|requires?)\b/iu;
  const passive =
    /\b(?:is|are|was|gets?|being)\s+(?:\S+\s+){0,4}?(?:called|used|invoked|imported|referenced|instantiated|consumed|required)\b/iu;
  return active.test(text) || (passive.test(text) && !/\b(?:what|who)\s+(?:is|are)\s+\S+\s+called\b/iu.test(text));
}

function aboutOf(text: string): Question['about'] {
  if (/\b(?:tests?|tested|testing|specs?|covers?|covered|coverage)\b/iu.test(text)) return 'tests';
  return /\b(?:docs?|documentation|documented|readme|guides?|manual)\b/iu.test(text) ? 'docs' : null;
}
