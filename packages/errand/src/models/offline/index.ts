import { messageOf } from '../../base/errors.ts';
import type { ToolCall } from '../../domain/run/message.ts';
import type { Usage } from '../../domain/run/usage.ts';
import type { Model, ModelOutcome, ModelRequest } from '../../ports/model.ts';
import { readRequest } from './ask/question.ts';
import { findingsOf, nextStep, type Step } from './research.ts';
import { rootStep } from './root.ts';
import { renderReport } from './tell/report.ts';
import { readTurn, type Turn } from './turn.ts';

const ID = 'extract';
const NAME = `offline/${ID}`;
const PIECES = 4;
/** Questions that one helper looks into. */
const MOST_QUESTIONS = 8;
/** Characters that are taken for one token. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * The model that needs no key, no network and no language model: it searches and quotes the workspace with the tools on offer.
 * Pure over the transcript: the same request gets the same answer. Null for any id but `extract`.
 * Its usage is an estimate, a quarter of the characters in and out: nobody bills it, but whoever looks at usage sees its size.
 */
export function createOfflineModel(name: string): Model | null {
  // Models are made by their whole name, and by their id alone.
  if (name !== ID && name !== NAME) return null;
  return {
    name: NAME,
    async call(request, observer, signal) {
      if (signal.aborted) return stopped();
      try {
        const turn = readTurn(request);
        const { say, calls } = turn.helper ? helperStep(turn) : rootStep(turn);
        for (const piece of piecesOf(say)) {
          if (signal.aborted) return stopped();
          observer.text(piece);
        }
        const made = calls.map(
          (call, index): ToolCall => ({
            call_id: `offline_${turn.calls + index + 1}`,
            name: call.name,
            args: JSON.stringify(call.args),
          }),
        );
        const usage = estimate(request, say, made);
        return {
          kind: 'answer',
          text: say,
          calls: made,
          finish: made.length > 0 ? 'tool_calls' : 'stop',
          usage,
          modelUsed: NAME,
        };
      } catch (error) {
        return {
          kind: 'fault',
          fault: { code: 'internal', message: `The offline model broke: ${messageOf(error)}`, retryable: false },
          usage: null,
        };
      }
    },
  };
}

function helperStep(turn: Turn): Step {
  const inquiry = readRequest(turn.task, null, MOST_QUESTIONS);
  const step = nextStep(inquiry.questions, turn);
  return step ?? { say: renderReport(inquiry, turn, findingsOf(inquiry.questions, turn)), calls: [] };
}

function stopped(): ModelOutcome {
  return { kind: 'fault', fault: { code: 'cut', message: 'The call was stopped.', retryable: false }, usage: null };
}

/** A few pieces, cut at white space. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (let left = PIECES; left > 1 && rest.length > 80; left--) {
    const cut = rest.indexOf(' ', Math.floor(rest.length / left));
    if (cut < 0) break;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return rest === '' ? pieces : [...pieces, rest];
}

function estimate(request: ModelRequest, text: string, calls: readonly ToolCall[]): Usage {
  const tools = request.tools.reduce(
    (sum, tool) => sum + tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length,
    0,
  );
  const messages = request.messages.reduce((sum, message) => {
    if (message.role === 'user') return sum + message.text.length;
    if (message.role === 'tool') return sum + message.results.reduce((all, result) => all + result.text.length, 0);
    return sum + message.text.length + lengthOf(message.calls);
  }, 0);
  const tokens = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);
  return {
    input: tokens(request.system.length + tools + messages),
    cached: 0,
    output: tokens(text.length + lengthOf(calls)),
    reasoning: 0,
    unknown_calls: 0,
  };
}

function lengthOf(calls: readonly ToolCall[]): number {
  return calls.reduce((sum, call) => sum + call.name.length + call.args.length, 0);
}
