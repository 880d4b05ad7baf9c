import { MESSAGE_GROUPS } from './message-groups.ts';
import { wireError, type Details, type RefusalName, type WireError } from './errors.ts';

type Groups = typeof MESSAGE_GROUPS;
type UnionToIntersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer Intersection,
) => void
  ? Intersection
  : never;

/** The builders of all refusal messages by key, such as `MESSAGES.priceOffTick('0.5')`. */
type Messages = UnionToIntersection<Groups[keyof Groups]>;

/** The key of a refusal message. */
export type MessageKey = keyof Messages;

/** All refusal messages in one table. */
export const MESSAGES: Messages = Object.assign({}, ...Object.values(MESSAGE_GROUPS));

/** The error name of each refusal message. */
export const MESSAGE_NAMES: Readonly<Record<MessageKey, RefusalName>> = Object.fromEntries(
  Object.entries(MESSAGE_GROUPS).flatMap(([name, group]) =>
    Object.keys(group).map((key) => [key, name]),
  ),
) as Record<MessageKey, RefusalName>;

/**
 * Builds a refusal from the key of its message, so that a message always comes with its own error
 * code.
 */
export function refusal<Key extends MessageKey>(
  key: Key,
  blanks: Parameters<Messages[Key]>,
  details?: Details,
  httpStatus?: number,
): WireError {
  const build = MESSAGES[key] as (...values: readonly unknown[]) => string;
  return wireError(MESSAGE_NAMES[key], build(...blanks), details, httpStatus);
}
