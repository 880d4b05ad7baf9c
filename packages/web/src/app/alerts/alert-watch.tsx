import type { Fill } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { hourlyRate, number, percent, relative } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { createReporter, fillLists } from '../../market/account-lists.ts';
import { accountStates, hasReached, useWorstUse } from '../../market/account.ts';
import {
  changeAlerts,
  currentAlerts,
  judged,
  reportAlert,
  reportOutside,
  useAlerts,
  type Alert,
  type Figures,
} from '../../market/alerts/alerts.ts';
import { shownEvents } from '../../market/queries.ts';
import { contexts } from '../../market/streams.ts';
import { reader, venueNow } from '../../market/venue.ts';
import { useSession } from '../../session/session.ts';
import { namedFillNews } from '../shell/news.ts';

export function AlertWatch() {
  const { endMinutes, hasFills, marginFrom, rows } = useAlerts();
  const coins = [...new Set(rows.map(({ coin }) => coin))];
  return (
    <>
      {coins.map((coin) => (
        <PerpWatch key={coin} coin={coin} />
      ))}
      {hasFills && <FillWatch />}
      {marginFrom !== undefined && <MarginAlert from={marginFrom} />}
      {endMinutes !== undefined && <EndWatch minutes={endMinutes} />}
    </>
  );
}

/** Every update is checked, rather than one per frame, so that brief moves also count. */
function PerpWatch({ coin }: { readonly coin: string }) {
  const t = useWords();
  const judge = useEffectEvent((figures: Figures): void => {
    const { due, rows } = judged(currentAlerts().rows, coin, figures, venueNow());
    changeAlerts((alerts) => (rows === alerts.rows ? alerts : { ...alerts, rows }));
    for (const alert of due) reportAlert({ title: titleOf(alert), text: textOf(alert, figures) });
  });
  useEffect(() => {
    const { release, store } = contexts.acquire(coin);
    const look = (): void => {
      const { ctx } = store.getState();
      if (ctx !== undefined) judge({ markPx: ctx.markPx, funding: ctx.funding });
    };
    look();
    const leave = store.subscribe(look);
    return () => {
      leave();
      release();
    };
  }, [coin]);
  return null;

  function titleOf({ bound, kind, market }: Alert): string {
    if (kind === 'funding') return t('alerts.told.funding', { market, bound: number(bound) });
    return t(`alerts.told.${kind}`, { market, bound: number(bound) });
  }

  function textOf({ kind }: Alert, { funding, markPx }: Figures): string {
    return kind === 'funding'
      ? t('alerts.told.rate', { rate: hourlyRate(funding) })
      : t('alerts.told.mark', { price: number(markPx) });
  }
}

const newFills = createReporter(fillLists);

function FillWatch() {
  const t = useWords();
  const user = useSession()?.address;
  useEffect(() => {
    if (user === undefined) return undefined;
    const report = async (rows: readonly Fill[]): Promise<void> => {
      for (const { text = '', title } of await namedFillNews(rows, t)) {
        reportOutside({ title: String(title), text: String(text) });
      }
    };
    return newFills(user, (rows) => void report(rows));
  }, [user, t]);
  return null;
}

function MarginAlert({ from }: { readonly from: number }) {
  const t = useWords();
  const use = useWorstUse(useSession()?.address);
  const isThere = use !== undefined && hasReached(use, from);
  const report = useEffectEvent((): void => {
    if (use === undefined) return;
    const given = { share: percent(use.share, { decimals: 1 }), market: use.market };
    const title = t(use.market === undefined ? 'news.nearEnd' : 'news.nearEndOf', given);
    reportAlert({ title, text: t('news.nearEndText') });
  });
  useEffect(() => {
    if (isThere) report();
  }, [isThere]);
  return null;
}

function EndWatch({ minutes }: { readonly minutes: number }) {
  const t = useWords();
  const user = useSession()?.address;
  useEndings(user, minutes, ({ endMs, name }) =>
    reportAlert({
      title: t('alerts.told.end', { market: name }),
      text: relative(endMs - venueNow()),
    }),
  );
  return null;
}

type Ending = { readonly id: number; readonly name: string; readonly endMs: number };

const MINUTE_MS = 60_000;
const LOOK_MS = 1_000;
const ASKED_MAX = 50;

export function useEndings(
  user: string | undefined,
  minutes: number,
  onEnding: (ending: Ending) => void,
): void {
  const ids = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'outcome' },
    ({ state }) =>
      (state?.assetPositions ?? [])
        .map(({ position }) => Number(position.asset))
        .slice(0, ASKED_MAX),
  );
  const { data = [] } = useQuery({
    queryKey: ['endings', ids],
    queryFn: async ({ signal }): Promise<readonly Ending[]> => {
      const query = { instrumentIds: ids, limit: ASKED_MAX };
      const { events } = await shownEvents(await reader.info.outcomeMeta(query, { signal }));
      return events.flatMap(({ markets, title }) =>
        markets
          .filter(({ instrument_id: id, phase }) => ids.includes(id) && phase === 'open')
          .map(({ end_time: endMs, instrument_id: id }) => ({ id, name: title, endMs })),
      );
    },
    enabled: ids.length > 0,
    refetchInterval: MINUTE_MS,
  });
  const reportedIds = useRef(new Set<number>());
  const look = useEffectEvent((): void => {
    for (const ending of data) {
      const leftMs = ending.endMs - venueNow();
      if (leftMs <= 0 || leftMs > minutes * MINUTE_MS || reportedIds.current.has(ending.id))
        continue;
      reportedIds.current.add(ending.id);
      onEnding(ending);
    }
  });
  useEffect(() => {
    const timer = setInterval(() => look(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
}
