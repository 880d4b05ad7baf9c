import type { GateLists } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import { dateTime } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';

type List = 'whitelist' | 'blacklist' | 'accessCodes' | 'grants';
type Entry = {
  readonly key: string;
  readonly text: string;
  readonly address?: string;
  readonly note?: string;
};

/** Who is on a list. Of codes the venue tells the beginning alone, and how often they were granted. */
export function GateEntries({
  list,
  lists,
}: {
  readonly list: List;
  readonly lists: GateLists | undefined;
}) {
  const t = useWords();
  if (lists === undefined) return null;
  const entries = entriesOf(list, lists, t);
  if (entries.length === 0) {
    return <p className="text-12 text-muted">{t('operate.listEmpty')}</p>;
  }
  return (
    <ul
      aria-label={t('operate.entriesOf', { list: t(`operate.gateList.${list}`) })}
      // Without a stop of its own the keyboard could not scroll it.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="max-h-40 overflow-y-auto rounded border border-line px-3 py-1 text-12"
    >
      {entries.map(({ address, key, note, text }) => (
        <li key={key} className="flex flex-wrap justify-between gap-x-3 py-0.5">
          {address === undefined ? (
            <span className="font-mono">{text}</span>
          ) : (
            <Link
              to={`/explorer/address/${address}`}
              className="font-mono break-all text-accent hover:underline"
            >
              {text}
            </Link>
          )}
          {note !== undefined && <span className="text-muted">{note}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Whether an address is on a list; undefined where that can't be told. */
export function isOn(
  list: List,
  lists: GateLists | undefined,
  { address, count }: { readonly address: string | undefined; readonly count: number },
): boolean | undefined {
  if (list === 'accessCodes' || lists === undefined || address === undefined) return undefined;
  const people = list === 'grants' ? lists.grants.map(({ user }) => user) : lists[list];
  if (people.includes(address)) return true;
  // A list that was cut does not tell who is not on it.
  return people.length === count ? false : undefined;
}

function entriesOf(list: List, lists: GateLists, t: Words): readonly Entry[] {
  switch (list) {
    case 'whitelist':
    case 'blacklist':
      return lists[list].map((address) => ({ key: address, text: address, address }));
    case 'accessCodes':
      return lists.accessCodes.map(({ accessCode, maxUses, uses }, index) => ({
        // Two codes may look alike.
        key: `${index} ${accessCode}`,
        text: accessCode,
        note: t('operate.usesOf', { uses, most: maxUses }),
      }));
    case 'grants':
      return lists.grants.map(({ accessCode, grantedTime, user }) => ({
        key: user,
        text: user,
        address: user,
        note: t('operate.grantOf', { code: accessCode, time: dateTime(grantedTime) }),
      }));
  }
}
