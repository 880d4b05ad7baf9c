import { useNavigate, useSearch } from '@tanstack/react-router';
import type { VenueStatus } from '@oddlot/sdk';
import { usePageTitle } from '../../lib/screen.ts';
import { addWords, useWords, type Words } from '../../lib/words.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Events } from './events.tsx';
import { Fees } from './fees.tsx';
import { Gates } from './gates.tsx';
import { Health } from './health.tsx';
import { Operators } from './operators.tsx';
import { Perps } from './perps.tsx';
import { type Hindrance, type Operator, putOperatorKeyAway, useOperator } from './use-operator.ts';
import { useStatus } from './use-status.ts';
import { texts } from 'words:operate';
import { lazy, Suspense, useState } from 'react';
import { short } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';

addWords(texts);

const TABS = ['health', 'perps', 'events', 'gates', 'fees', 'operators'] as const;

/** For keys that may: markets, gates, fees. How the venue does, anybody may see. */
export function Screen() {
  const t = useWords();
  usePageTitle(t('nav.operate'));
  const { data: status, error } = useStatus();
  return (
    <div className="flex min-h-full flex-col bg-panel">
      {status !== undefined && <Panels status={status} />}
      {status === undefined && error !== null && (
        <EmptyState title={t('operate.unknown')} text={t('operate.unknownText')} />
      )}
    </div>
  );
}

function Panels({ status }: { readonly status: VenueStatus }) {
  const t = useWords();
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const tab = TABS.find((each) => each === search['tab']) ?? 'health';
  const operator = useOperator(status);
  const { admin, deployer } = operator;
  const contents = {
    health: <Health status={status} />,
    perps: <Perps admin={admin} />,
    events: <Events deployer={deployer} />,
    gates: <Gates gates={status.gates} admin={admin} />,
    fees: <Fees admin={admin} />,
    operators: <Operators status={status} admin={admin} />,
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-3">
        <h1 className="text-20 font-semibold">{t('nav.operate')}</h1>
        <WhoActs operator={operator} />
      </div>
      <div className="min-h-80 flex-1">
        <Tabs
          label={t('nav.operate')}
          value={tab}
          onChange={(next) => {
            void navigate({ to: '/operate', search: { tab: next }, replace: true });
          }}
          tabs={TABS.map((value) => ({
            value,
            label: t(`operate.tab.${value}`),
            content: contents[value],
          }))}
        />
      </div>
    </>
  );
}

const OpenKey = lazy(async () => ({ default: (await import('./open-key.tsx')).OpenKey }));

/** Under whose name it is operated here, or why it is not. */
export function WhoActs({ operator }: { readonly operator: Operator }) {
  const t = useWords();
  const [isOpening, setIsOpening] = useState(false);
  const { address, hindrance, isAdmin, isByKey, isDeployer } = operator;
  return (
    <>
      {address !== undefined && hindrance === undefined && (
        <span className="flex flex-wrap items-center gap-2 text-12">
          <span className="font-mono text-muted max-tablet:hidden">{short(address)}</span>
          {isAdmin && <Badge tone="accent">{t('operate.youAdmin')}</Badge>}
          {isDeployer && <Badge tone="accent">{t('operate.youDeployer')}</Badge>}
        </span>
      )}
      <span className="ms-auto">
        {isByKey ? (
          <Button size="small" onClick={putOperatorKeyAway}>
            {t('operate.putKeyAway')}
          </Button>
        ) : (
          hindrance !== undefined && (
            <Button size="small" onClick={() => setIsOpening(true)}>
              {t('operate.openKey')}
            </Button>
          )
        )}
      </span>
      <p className="w-full text-12 text-muted">
        {hindrance === undefined
          ? t(isByKey ? 'operate.introKey' : 'operate.intro')
          : hindranceText(hindrance, t)}
      </p>
      {isOpening && (
        <Suspense fallback={null}>
          <OpenKey onClose={() => setIsOpening(false)} />
        </Suspense>
      )}
    </>
  );
}

function hindranceText(hindrance: Hindrance, t: Words): string {
  switch (hindrance.why) {
    case 'nobody':
      return t('operate.hindrance.nobody');
    case 'notOperator':
      return t('operate.hindrance.notOperator', { address: short(hindrance.address) });
    case 'noKey':
      return t('operate.hindrance.noKey', { address: short(hindrance.address) });
    case 'chain':
      return t('operate.hindrance.chain', { own: hindrance.own, venue: hindrance.venue });
  }
}
