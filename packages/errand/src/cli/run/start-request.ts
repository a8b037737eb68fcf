import type { ChosenModel, Settings } from '../../app/config/settings.ts';
import type { StartRequest } from '../../app/face.ts';

/** The root run that a command line asks for. */
export function startRequestOf(task: string, settings: Settings, model: ChosenModel): StartRequest {
  const { limits, cwd, effort, set } = settings;
  const isSet = (name: string) => set.has(`limits.${name}`);
  return {
    task,
    model: model.name,
    askedModel: model.source.from === 'flag' ? model.asked : null,
    cwd,
    effort,
    maxPerTurn: limits.max_per_turn,
    limits: {
      steps: limits.root_steps,
      wall_ms: limits.root_wall_ms,
    },
    // What is not set stays with the role.
    helperLimits: {
      ...(isSet('helper_steps') ? { steps: limits.helper_steps } : {}),
      ...(isSet('helper_tool_calls') ? { tool_calls: limits.helper_tool_calls } : {}),
      ...(isSet('helper_wall') ? { wall_ms: limits.helper_wall_ms } : {}),
    },
  };
}
