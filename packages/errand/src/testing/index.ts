/** What a test of Errand, or of something built on it, needs: a model that does as told and a clock that is moved by hand. */
export {
  type AnswerOptions,
  answer,
  cutAfter,
  endless,
  endWithoutFinish,
  event,
  hang,
  malformed,
  type Reply,
  resetAfter,
  type Script,
  type ScriptedRequest,
  type ScriptStep,
  stallAfter,
  status,
} from './script.ts';
export {
  createScriptedModel,
  createScriptedModels,
  type ModelReply,
  type ReplyOptions,
  replyAfter,
  replyFault,
  replyHang,
  replyWith,
  type ScriptedCall,
  type ScriptedModel,
} from './scripted-model.ts';
export { createScriptedServer, type ScriptedHandler, type ScriptedServer } from './scripted-server.ts';
export { createTestClock, type TestClock } from './test-clock.ts';
