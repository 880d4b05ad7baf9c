import { useNavigate, useSearch } from '@tanstack/react-router';
import type { VenueStatus } from '@oddlot/sdk';
import { usePageTitle } from '../../lib/use-page-title.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Events } from './events.tsx';
import { Fees } from './fees.tsx';
import { Gates } from './gates.tsx';
import { Health } from './health.tsx';
import { Operators } from './operators.tsx';
import { Perps } from './perps.tsx';
import { useOperator } from './use-operator.ts';
import { useStatus } from './use-status.ts';
import { WhoActs } from './who-acts.tsx';
import { texts } from 'words:operate';

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
