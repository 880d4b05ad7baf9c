import type { ActionInput } from '../actions/registry.ts';
import { ACTION_SHAPES } from '../shapes/action-shapes.ts';
import { arrange } from '../shapes/arrange.ts';
import type { ObjectShape } from '../shapes/shape.ts';

/**
 * An action with its keys in the order of the schema, without undefined fields; of a wrapper the inner one as well.
 * Throws on an unknown key and on a type that does not exist.
 */
export function canonicalAction<Input extends ActionInput>(action: Input): Input {
  const ordered = arrange(actionShape(action.type), action, action.type);
  if (ordered.type !== 'multiSig') return ordered;
  const inner = canonicalAction(ordered.payload.action as ActionInput);
  return { ...ordered, payload: { ...ordered.payload, action: inner } };
}

/** The shape of an action type. Throws on a type that does not exist. */
export function actionShape(type: string): ObjectShape {
  const shape = Object.hasOwn(ACTION_SHAPES, type) ? ACTION_SHAPES[type] : undefined;
  if (shape === undefined) throw new RangeError(`unknown action type: ${type}`);
  return shape;
}
