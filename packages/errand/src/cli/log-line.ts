import { firstLine } from '../base/text.ts';
import type { RunEvent } from '../domain/run/event.ts';
import { printable } from '../terminal/text.ts';
import { pause, stateInWords, taken, tokensKnown } from '../terminal/words.ts';

/** Characters of a text that a line shows. */
const SHOWN = 160;

/** An event as one line for a person: when, which run, what. */
export function logLine(event: RunEvent): string {
  const time = new Date(event.at).toISOString().slice(11, 23);
  return `${time} ${event.run_id} ${event.type} ${detail(event)}`.trimEnd();
}

function detail(event: RunEvent): string {
  switch (event.type) {
    case 'run.created':
      return `${event.role} "${printable(event.title)}" on ${printable(event.model)}`;
    case 'run.started':
    case 'run.running':
      return '';
    case 'run.waiting':
      return `on ${event.on}`;
    case 'model.started':
      return `step ${event.step}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}${event.report ? `, last report (${event.report})` : ''}`;
    case 'model.text':
      return short(event.text);
    case 'model.finished': {
      const { usage, calls } = event;
      const known = (count: number) => tokensKnown(count, usage.unknown_calls);
      const asked = calls.length > 0 ? ` calls ${calls.map(({ name }) => printable(name)).join(', ')}` : '';
      return `step ${event.step} ${event.finish} ${taken(event.ms)} ${known(usage.input)} in ${known(usage.output)} out${asked} ${short(event.text)}`;
    }
    case 'model.failed':
      return `step ${event.step} ${event.fault.code}: ${short(event.fault.message)}${
        event.retry_in_ms === null ? '' : ` (again in ${pause(event.retry_in_ms)})`
      }`;
    case 'tool.started':
      return `${printable(event.name)} ${short(event.args)}`;
    case 'tool.finished':
      return `${printable(event.name)} ${event.status} ${taken(event.ms)} ${short(event.output)}`;
    case 'todo.written':
      return `${event.items.filter(({ status }) => status === 'completed').length}/${event.items.length}`;
    case 'transcript.trimmed':
      return `tool results cut to ${event.characters} characters`;
    case 'transcript.summarised':
      return short(event.summary);
    case 'cancel.asked':
      return event.reason;
    case 'run.resumed':
      return `in process ${event.boot_id} ${short(event.note)}`;
    case 'run.settled':
      return `${stateInWords(event)}${event.partial ? ', partial' : ''}: ${short(event.message)}`;
  }
}

function short(text: string): string {
  const line = printable(firstLine(text, SHOWN + 1));
  return line.length > SHOWN ? `${firstLine(line, SHOWN)}…` : line;
}
