import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import { isAddress } from '../../lib/typed-text.ts';
import { useWords } from '../../lib/words.ts';
import { queryClient } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { useHotkey } from '../../ui/keyboard.tsx';
import { useDoing } from '../../ui/states.tsx';

type HeadProps = Readonly<{ title: string; isFirst?: boolean; children?: ReactNode }>;

export function Head({ title, isFirst = false, children }: HeadProps) {
  const t = useWords();
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-b border-line px-4 py-3">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-1">
        {!isFirst && (
          <Link to="/explorer" className="text-13 text-muted hover:text-text">
            {t('nav.explorer')}
            <span aria-hidden="true" className="ms-3 text-faint">
              /
            </span>
          </Link>
        )}
        <h1 className="text-20 font-semibold tabular-nums">{title}</h1>
        {children}
      </div>
      <SearchField />
    </div>
  );
}

function SearchField() {
  const t = useWords();
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<string>();
  const { isBusy, run } = useDoing();
  useHotkey('/', () => field.current?.focus());
  const go = (to: string): void => {
    setTyped('');
    void navigate({ to });
  };
  const find = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const wanted = wantedOf(typed);
    if (wanted === undefined) {
      await run(async () => {
        const market = await findMarket(typed);
        if (market === undefined) setFault(t('explorer.searchFault'));
        else go(market);
      });
      return;
    }
    if (wanted.kind === 'block') go(`/explorer/block/${wanted.height}`);
    if (wanted.kind === 'address') go(`/explorer/address/${wanted.address}`);
    if (wanted.kind !== 'hash') return;
    const { hash } = wanted;
    await run(async () => {
      const block = await reader.info.block({ hash }).catch(() => undefined);
      go(block === undefined ? `/explorer/tx/${hash}` : `/explorer/block/${block.height}`);
    });
  };
  return (
    <form
      role="search"
      onSubmit={(event) => void find(event)}
      className="flex w-full gap-2 tablet:w-[480px]"
    >
      <div className="min-w-0 flex-1">
        <TextField
          ref={field}
          label={t('explorer.search')}
          isLabelHidden
          type="search"
          placeholder={t('explorer.search')}
          value={typed}
          fault={fault}
          onChange={(next) => {
            setTyped(next);
            setFault(undefined);
          }}
        />
      </div>
      <Button type="submit" isBusy={isBusy}>
        {t('explorer.find')}
      </Button>
    </form>
  );
}

async function findMarket(typed: string): Promise<string | undefined> {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return undefined;
  return (await findPerp(wanted)) ?? (await findByText(wanted)) ?? findBySlug(wanted);
}

async function findPerp(wanted: string): Promise<string | undefined> {
  const { universe } = await queryClient.fetchQuery({
    queryKey: ['perpMeta'],
    queryFn: () => reader.info.perpMeta(),
  });
  const named = universe.map(({ name }) => name);
  const found =
    named.find((name) => name.toLowerCase() === wanted) ??
    named.find((name) => name.toLowerCase().split('-')[0] === wanted);
  return found === undefined ? undefined : `/trade/${found}`;
}

async function findByText(wanted: string): Promise<string | undefined> {
  for (const status of ['open', 'all'] as const) {
    let cursor: string | undefined;
    // A page may be empty even if later pages are not.
    for (let page = 0; page < PAGES_MAX; page++) {
      const asked = { search: wanted, status, limit: 1, ...(cursor !== undefined && { cursor }) };
      const { events, next_cursor: next } = await reader.info.outcomeMeta(asked);
      const [found] = events;
      if (found !== undefined) return `/events/${found.slug}`;
      if (next === null) break;
      cursor = next;
    }
  }
  return undefined;
}

const PAGES_MAX = 20;

async function findBySlug(wanted: string): Promise<string | undefined> {
  if (!/^[a-z0-9-]{1,120}$/.test(wanted)) return undefined;
  const { events } = await reader.info.outcomeMeta({ marketSlugs: [wanted], limit: 1 });
  const event =
    events[0] ?? (await reader.info.outcomeEvent({ eventSlug: wanted }).catch(() => undefined));
  return event === undefined ? undefined : `/events/${event.slug}`;
}

const HASH = /^0x[0-9a-fA-F]{64}$/;
const HEIGHT = /^\d{1,15}$/;

type Wanted =
  | { readonly kind: 'block'; readonly height: string }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'hash'; readonly hash: string };

/**
 * Returns the block height, address or hash in a search text, or undefined for any other text.
 * Leading and trailing spaces and grouping commas are ignored.
 */
export function wantedOf(typed: string): Wanted | undefined {
  const text = typed.trim();
  const height = text.replaceAll(',', '');
  if (HEIGHT.test(height)) return { kind: 'block', height };
  if (isAddress(text)) return { kind: 'address', address: text.toLowerCase() };
  if (HASH.test(text)) return { kind: 'hash', hash: text.toLowerCase() };
  return undefined;
}
