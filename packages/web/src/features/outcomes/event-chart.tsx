import { useStored } from '../../lib/browser.ts';
import { useWords } from '../../lib/words.ts';
import { Segmented } from '../../ui/controls.tsx';
import { legLabel } from './market-facts.ts';
import { ProbabilityChart, type ProbabilityChartProps } from './probability-chart.tsx';
import { ReferenceChart, type Reference } from './reference-chart.tsx';

const VIEWS = ['shares', 'underlying'] as const;
type View = (typeof VIEWS)[number];

type EventChartProps = {
  /** The event or the series for which the choice is stored. */
  readonly name: string;
  readonly probability: ProbabilityChartProps | undefined;
  /** The underlying of a price event. */
  readonly reference: Reference | undefined;
  readonly initial: View;
};

/** Shows the probabilities of an event or the price of its underlying, and stores the choice. */
export function EventChart({ name, probability, reference, initial }: EventChartProps) {
  const t = useWords();
  const [stored, store] = useStored<unknown>(`eventChart.${name}`, initial);
  const market = probability?.markets[0];
  if (reference === undefined) return probability && <ProbabilityChart {...probability} />;
  if (market === undefined) return <ReferenceChart {...reference} />;
  const view = VIEWS.find((each) => each === stored) ?? initial;
  const names = { shares: legLabel(market, 'Yes'), underlying: reference.timeline.underlying };
  return (
    <div className="flex flex-col items-start gap-2">
      <Segmented
        label={t('outcomes.chart.view')}
        size="small"
        value={view}
        onChange={store}
        segments={VIEWS.map((value) => ({
          value,
          label: t('outcomes.chart.priceOf', { name: names[value] }),
        }))}
      />
      <div className="w-full">
        {view === 'shares' ? (
          <ProbabilityChart {...probability!} />
        ) : (
          <ReferenceChart {...reference} />
        )}
      </div>
    </div>
  );
}
