import { invalidArgument } from '../contract/schema.ts';
import { KEY_DAYS_MAX } from '../gate/credential.ts';
import { invalidModes, type Modes, PRESETS, type Preset } from '../gate/permissions.ts';
import { DAY_MS } from '../time/durations.ts';

/** @throws ServiceError invalid_arguments if a group is unknown, or a mode does not apply to its group */
export function changedModes(base: Modes, changes: Partial<Modes>): Modes {
  const unknown = Object.keys(changes).find((group) => !Object.hasOwn(base, group));
  if (unknown !== undefined) throw invalidArgument(unknown, 'group', 'is not a permission group');
  const modes = { ...base, ...changes };
  const [wrong] = invalidModes(modes);
  if (wrong !== undefined) throw invalidArgument(wrong, 'mode', `cannot be ${modes[wrong]}`);
  return modes;
}

/** @throws ServiceError invalid_arguments if there is no such preset */
export function modesOfPreset(preset: Preset): Modes {
  if (!Object.hasOwn(PRESETS, preset)) {
    throw invalidArgument('preset', 'enum', `must be one of ${Object.keys(PRESETS).join(', ')}`);
  }
  return PRESETS[preset].modes;
}

/** @throws ServiceError invalid_arguments unless it is 1 to 180 days */
export function lifetimeMs(days: number): number {
  if (!Number.isInteger(days) || days < 1 || days > KEY_DAYS_MAX) {
    throw invalidArgument('days', 'range', `must be 1 to ${KEY_DAYS_MAX}`);
  }
  return days * DAY_MS;
}
