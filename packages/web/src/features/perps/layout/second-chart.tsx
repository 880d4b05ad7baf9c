import { useMemo } from 'react';
import { useStored } from '../../../lib/browser.ts';
import { useWords } from '../../../lib/words.ts';
import { usePerps } from '../../../market/queries.ts';
import { Menu } from '../../../ui/overlays.tsx';
import { ChartPanel } from '../chart/chart-panel.tsx';
import { gridOf, TradedPerpContext, useTradedPerp } from '../use-account.ts';

/** A second chart, which shows either the ticket's market or a different one. */
export function SecondChart() {
  const t = useWords();
  const traded = useTradedPerp();
  const [name, setName] = useStored<string>('secondChart', '');
  const perps = usePerps().data?.universe ?? [];
  const chosen = perps.find((perp) => perp.name === name);
  const shown = useMemo(
    () =>
      chosen === undefined
        ? traded
        : { perp: chosen, grid: gridOf(chosen), coin: String(chosen.index) },
    [chosen, traded],
  );
  const market = (
    <span className="flex shrink-0">
      <Menu
        align="start"
        trigger={
          <button type="button" className="h-6 shrink-0 rounded px-1.5 text-12 hover:text-accent">
            <span className="visually-hidden">{t('perps.layout.secondMarket')} </span>
            {shown.perp.name} ▾
          </button>
        }
        items={[
          {
            label: t('perps.layout.sameMarket'),
            isChosen: chosen === undefined,
            onSelect: () => setName(''),
          },
          ...perps.map((perp) => ({
            label: perp.name,
            isChosen: perp === chosen,
            onSelect: () => setName(perp.name),
          })),
        ]}
      />
    </span>
  );
  return (
    <TradedPerpContext value={shown}>
      <ChartPanel key={shown.perp.index} slot="2" market={market} />
    </TradedPerpContext>
  );
}
