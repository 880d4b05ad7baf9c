import type { GateLists as Lists, SetGateParameters, VenueGate } from '@oddlot/sdk';
import { useState } from 'react';
import { short } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { personFault, personOf } from './operators.tsx';
import { useGateLists } from './use-status.ts';
import { Link } from '@tanstack/react-router';
import { dateTime } from '../../lib/time.ts';

export const GATE_LISTS = ['whitelist', 'blacklist', 'accessCodes', 'grants'] as const;
type List = (typeof GATE_LISTS)[number];
type Change = Omit<SetGateParameters, 'channel'>;
type Way = 'add' | 'remove';
type Draft = { readonly address: string; readonly code: string; readonly uses: string };

const EMPTY: Draft = { address: '', code: '', uses: '1' };

/** Who is on the lists of a gate; puts somebody or a code on one of them, or takes it away. */
export function GateLists({
  gate,
  isBusy,
  onSet,
}: {
  readonly gate: VenueGate;
  readonly isBusy: boolean;
  /** Sends it; the text says what it did. */
  readonly onSet: (change: Change, done: string) => Promise<boolean>;
}) {
  const t = useWords();
  const [list, setList] = useState<List>('whitelist');
  const [draft, setDraft] = useState(EMPTY);
  const { data: lists } = useGateLists(gate);
  const isThere = isOn(list, lists, { address: personOf(draft.address), count: gate[list] });
  // A grant may be given anew, by another code.
  const idle = isThere === true && list !== 'grants' ? 'add' : isThere === false && 'remove';
  const set = async (way: Way, change: Change | undefined): Promise<void> => {
    const entry = list === 'accessCodes' ? draft.code.trim() : short(draft.address.trim());
    const done = t(`operate.${way}Done.${list}`, { entry });
    if (change === undefined || !(await onSet(change, done))) return;
    // What was typed meanwhile is the next entry.
    setDraft((now) => (now === draft ? EMPTY : now));
  };
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3">
      <Segmented
        label={t('operate.list')}
        size="small"
        value={list}
        onChange={setList}
        segments={GATE_LISTS.map((value) => ({
          value,
          label: `${t(`operate.gateList.${value}`)} ${gate[value]}`,
        }))}
      />
      <p className="text-12 text-muted">{t(`operate.listHelp.${list}`)}</p>
      <GateEntries list={list} lists={lists} />
      <Fields list={list} draft={draft} onChange={setDraft} />
      <div className="flex flex-wrap items-center gap-2">
        {(['add', 'remove'] as const).map((way) => {
          const change = changeOf(list, way, draft);
          return (
            <Button
              key={way}
              disabled={change === undefined || way === idle}
              isBusy={isBusy}
              onClick={() => void set(way, change)}
            >
              {t(`operate.${way}To.${list}`)}
            </Button>
          );
        })}
        {isThere !== undefined && (
          <span className="text-12 text-muted">
            {t(isThere ? 'operate.isThere' : 'operate.isNotThere')}
          </span>
        )}
      </div>
    </div>
  );
}

function Fields({
  list,
  draft,
  onChange,
}: {
  readonly list: List;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}) {
  const t = useWords();
  const { address, code, uses } = draft;
  return (
    <div className="grid items-end gap-3 tablet:grid-cols-2">
      {list !== 'accessCodes' && (
        <div className={list === 'grants' ? '' : 'tablet:col-span-2'}>
          <TextField
            label={t('operate.address')}
            value={address}
            placeholder="0x…"
            isCode
            fault={personFault(address, t)}
            onChange={(next) => onChange({ ...draft, address: next })}
          />
        </div>
      )}
      {(list === 'accessCodes' || list === 'grants') && (
        <TextField
          label={t('operate.code')}
          value={code}
          maxLength={64}
          onChange={(next) => onChange({ ...draft, code: next })}
        />
      )}
      {list === 'accessCodes' && (
        <NumberField
          label={t('operate.uses')}
          value={uses}
          step="1"
          min="1"
          onChange={(next) => onChange({ ...draft, uses: next })}
        />
      )}
    </div>
  );
}

/** What is sent; undefined while something is missing. */
function changeOf(list: List, way: Way, draft: Draft): Change | undefined {
  const [address, code] = [personOf(draft.address), draft.code.trim()];
  const uses = Number(draft.uses);
  if (list === 'accessCodes') {
    if (code === '') return undefined;
    if (way === 'remove') return { accessCodes: { remove: [code] } };
    const isCount = Number.isSafeInteger(uses) && uses >= 1;
    return isCount ? { accessCodes: { add: [{ code, maxUses: uses }] } } : undefined;
  }
  if (address === undefined) return undefined;
  if (list === 'grants') {
    if (way === 'remove') return { grants: { remove: [address] } };
    return code === '' ? undefined : { grants: { add: [{ user: address, code }] } };
  }
  const entry = way === 'add' ? { add: [address] } : { remove: [address] };
  return list === 'whitelist' ? { whitelist: entry } : { blacklist: entry };
}

type Entry = {
  readonly key: string;
  readonly text: string;
  readonly address?: string;
  readonly note?: string;
};

/** Who is on a list. Of codes the venue tells the beginning alone, and how often they were granted. */
function GateEntries({ list, lists }: { readonly list: List; readonly lists: Lists | undefined }) {
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
function isOn(
  list: List,
  lists: Lists | undefined,
  { address, count }: { readonly address: string | undefined; readonly count: number },
): boolean | undefined {
  if (list === 'accessCodes' || lists === undefined || address === undefined) return undefined;
  const people = list === 'grants' ? lists.grants.map(({ user }) => user) : lists[list];
  if (people.includes(address)) return true;
  // A list that was cut does not tell who is not on it.
  return people.length === count ? false : undefined;
}

function entriesOf(list: List, lists: Lists, t: Words): readonly Entry[] {
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
