import type { Message } from '../../domain/run/message.ts';
import type { OpenCall, RunState } from '../../domain/run/state.ts';
import { wholeMessages } from '../../domain/run/whole-messages.ts';
import { renderNotCarriedOut, renderUnknownOutcome } from '../../prompts/turns.ts';

/** The transcript with which a run begins that goes on from another. */
export function prefixFrom(run: RunState): readonly Message[] {
  return wholeMessages(run, insteadOfResult);
}

function insteadOfResult({ name, started, risk }: OpenCall): string {
  const acted = started && (risk === 'write' || risk === 'execute');
  return acted ? renderUnknownOutcome(name) : renderNotCarriedOut();
}
