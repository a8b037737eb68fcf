/** What faces (terminal, protocols, programs) see of the runtime. */
export {
  type RunHandle,
  type Runtime,
  START_REFUSALS,
  type StartRefusal,
  type StartRequest,
  type StopAnswer,
} from '../ports/runtime.ts';
