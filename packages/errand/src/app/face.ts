/** What faces (terminal, protocols, programs) see of the runtime. */
export type { ModelUsage } from '../ports/journal.ts';
export {
  type ForkRequest,
  type ReplayReport,
  type ResumeRefusal,
  type ResumeRequest,
  type RunHandle,
  type Runtime,
  START_REFUSALS,
  type StartRefusal,
  type StartRequest,
  type StopAnswer,
} from '../ports/runtime.ts';
