import type { TxBrief } from '@oddlot/sdk';
import { short } from '../../lib/format.ts';
import type { Words } from '../../lib/words.ts';
import { actionName } from './action-name.ts';
import type { NameOf, Sentence } from './sentence.ts';
import { sentencesOf } from './tx-words.ts';

/** A transaction as a list has it; of one whose words are not known there is the type alone. */
export type ListedTx = Omit<TxBrief, 'entries'> & Partial<Pick<TxBrief, 'entries'>>;

const ADDRESS = /0x[\da-f]{40}/gi;

/** What a line has room for. */
export function briefOf(
  tx: ListedTx,
  nameOf: NameOf,
  t: Words,
): Sentence & { readonly more: number } {
  const { action, entries } = tx;
  const count = entries ?? 1;
  if (count > 1 && /^cancel(?:ByCloid)?$/.test(action.type)) {
    return { text: t('explorer.says.cancelMany', { count }), more: 0 };
  }
  const [first, ...rest] = sentencesOf(action, (id) => inBrief(nameOf(id)), t);
  if (first === undefined) return { text: actionName(action.type, t), more: 0 };
  // What several signed together begins with whom it is for, which the line has a column for.
  const told = action.type === 'multiSig' ? (rest[0] ?? first) : first;
  const text = told.text.replaceAll(ADDRESS, short);
  return { ...told, text, more: count - 1 };
}

const NAME_CHARS_MAX = 28;

/** A question may be long, and the price stands behind it. */
function inBrief(name: string): string {
  if (name.length <= NAME_CHARS_MAX) return name;
  const end = name.startsWith('“') ? '…”' : '…';
  return `${name.slice(0, NAME_CHARS_MAX).trimEnd()}${end}`;
}
