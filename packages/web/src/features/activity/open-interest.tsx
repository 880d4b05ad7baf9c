import type { OutcomeEventMeta, PerpMeta } from '@oddlot/sdk';
import { multiply } from '../../lib/decimal.ts';
import { inOneDirection } from '../../lib/in-one-direction.ts';
import { useWords } from '../../lib/words.ts';
import { contexts } from '../../market/contexts.ts';
import { sizeDecimals } from '../../market/grid-decimals.ts';
import { InterestLine } from '../../market/interest/interest-line.tsx';
import { OutcomeInterest } from '../../market/interest/outcome-interest.tsx';
import { useEvents, usePerps } from '../../market/queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { EventTitle } from '../../ui/event-title.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Panel } from './panel.tsx';

/** Events whose markets can be chosen, the most traded ones. */
const EVENTS_MAX = 8;
const QUESTIONS_MAX = 16;

/** What is held of a perp or of an outcome market, hour by hour. */
export function OpenInterest({
  of,
  market,
  onLook,
}: {
  /** What is looked at beside it, and comes first here too as long as nothing else is chosen. */
  readonly of: 'perps' | 'events';
  readonly market: unknown;
  readonly onLook: (change: Record<string, string>) => void;
}) {
  const t = useWords();
  const { data } = usePerps();
  const { data: found } = useEvents({ sortBy: 'volume', status: 'open', limit: EVENTS_MAX });
  const perps = data?.universe ?? [];
  const questions = (found?.events ?? []).flatMap(questionsOf).slice(0, QUESTIONS_MAX);
  const isOfEvents = of === 'events' && market === undefined;
  const question = isOfEvents ? questions[0] : questions.find(({ slug }) => slug === market);
  const perp = perps.find(({ name }) => name === market) ?? perps[0];
  const chosen = question?.name ?? perp?.name;
  const chosenName = question === undefined ? perp?.name : question.slug;
  const itemOf = (name: string, to: string): MenuItem => ({
    label: <span className="max-w-72 truncate">{name}</span>,
    isChosen: to === chosenName,
    onSelect: () => onLook({ market: to }),
  });
  const items: readonly MenuItem[] = [
    ...perps.map(({ name }) => itemOf(name, name)),
    ...(questions.length === 0 ? [] : [{ kind: 'title', label: t('activity.events') } as const]),
    ...questions.map(({ name, slug }) => itemOf(name, slug)),
  ];
  return (
    <Panel
      title={t('activity.interest')}
      aside={
        chosen !== undefined && (
          <Menu
            trigger={
              <Button size="small">
                <span className="max-w-64 truncate desktop:max-w-96">
                  <EventTitle title={chosen} isShort />
                </span>{' '}
                <span aria-hidden="true">▾</span>
              </Button>
            }
            items={items}
          />
        )
      }
    >
      <div className="h-56">
        {question !== undefined && (
          <OutcomeInterest key={question.id} instrumentId={question.id} name={question.name} />
        )}
        {question === undefined && perp !== undefined && <OfPerp key={perp.index} perp={perp} />}
        {chosen === undefined && data !== undefined && <EmptyState title={t('markets.noPerps')} />}
      </div>
    </Panel>
  );
}

/** A market by the name of its event where it is the only one, else by its own before that: what is cut is the same for all of them. */
function questionsOf({
  markets,
  title,
}: OutcomeEventMeta): { id: number; slug: string; name: string }[] {
  return markets.map(({ group_title: group, instrument_id: id, question, slug }) => ({
    id,
    slug,
    name: inOneDirection(markets.length === 1 ? title : `${group ?? question} · ${title}`),
  }));
}

function OfPerp({ perp }: { readonly perp: PerpMeta }) {
  const coin = String(perp.index);
  const held = contexts.use(coin, ({ ctx }) => ctx?.openInterest);
  const mark = contexts.use(coin, ({ ctx }) => ctx?.markPx);
  return (
    <InterestLine
      coin={coin}
      name={perp.name}
      unit={perp.baseCurrency}
      decimals={sizeDecimals(perp)}
      held={held}
      mark={mark}
      worthOf={({ markPx, openInterest }) => multiply(openInterest, markPx)}
    />
  );
}
