import { useQuery } from '@tanstack/react-query';
import type { ApprovedAgent } from '@oddlot/sdk';
import { useMemo } from 'react';
import { short } from '../../../lib/format.ts';
import { inOneDirection, useWords, type Words } from '../../../lib/words.ts';
import { relative, wholeDate } from '../../../lib/time.ts';
import { queryClient } from '../../../market/queries.ts';
import { letterReader, venueNow } from '../../../market/venue.ts';
import { enableTrading } from '../../../session/browser-wallets.ts';
import { doneOnce, forgetAgent } from '../../../session/sent-once.ts';
import type { Session } from '../../../session/session.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorSentence, useDoing } from '../../../ui/error-sentence.tsx';
import { Table, type Column } from '../../../ui/table.tsx';

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const NONE: readonly ApprovedAgent[] = [];

/** Keys that trade for the account and can move none of its money. */
export function Agents({ session }: { readonly session: Session }) {
  const t = useWords();
  const { address, agentAddress, owner, trader } = session;
  const queryKey = useMemo(
    () => ['approvedAgents', address, agentAddress],
    [address, agentAddress],
  );
  const { data = NONE } = useQuery({
    queryKey,
    queryFn: ({ signal }) => letterReader.info.approvedAgents({ user: address }, { signal }),
    staleTime: 0,
  });
  const { error, isBusy, run } = useDoing();
  const columns = useMemo(() => {
    const revoke = (agent: ApprovedAgent): Promise<boolean> =>
      run(async () => {
        const agentName = agent.agentName === '' ? null : agent.agentName;
        const nobody = { agentAddress: ZERO_ADDRESS, agentName };
        await doneOnce(owner!, ({ exchange }) =>
          exchange.approveAgent(nobody, { confirm: 'executed' }),
        );
        if (agent.agentAddress === agentAddress) await forgetAgent(address);
        await queryClient.invalidateQueries({ queryKey: ['approvedAgents', address] });
      });
    const revoking = owner === undefined ? undefined : { isBusy, revoke };
    return columnsOf(t, { own: agentAddress, revoking });
  }, [owner, address, agentAddress, isBusy, run, t]);
  const isMissing = owner !== undefined && trader === undefined;
  return (
    <>
      <Table
        label={t('account.agents')}
        columns={columns}
        rows={data}
        rowKey={({ agentName }) => agentName}
        rowHeight={44}
        empty={<EmptyState title={t('account.noAgents')} text={t('account.noAgentsText')} />}
      />
      <div className="flex flex-col gap-2 px-4 py-3 empty:hidden">
        {isMissing && (
          <span>
            <Button kind="accent" isBusy={isBusy} onClick={() => void run(enableTrading)}>
              {t('header.enableTrading')}
            </Button>
          </span>
        )}
        {error !== undefined && <ErrorSentence error={error} />}
      </div>
    </>
  );
}

type ColumnNeeds = {
  /** The agent of this browser. */
  readonly own: string | undefined;
  /** Who looks on revokes nothing. */
  readonly revoking:
    | { readonly isBusy: boolean; readonly revoke: (agent: ApprovedAgent) => Promise<boolean> }
    | undefined;
};

function columnsOf(t: Words, { own, revoking }: ColumnNeeds): readonly Column<ApprovedAgent>[] {
  return [
    {
      id: 'label',
      header: t('account.agentLabel'),
      cell: ({ agentAddress, agentName }) => (
        <>
          <span className="flex items-center gap-2">
            {/* A name is anybody's: it neither turns the text around it nor takes its place. */}
            <bdi
              className={agentName.trim() === '' ? 'truncate text-muted' : 'truncate'}
              title={inOneDirection(agentName)}
            >
              {agentName.trim() === '' ? t('account.unnamed') : inOneDirection(agentName)}
            </bdi>
            {agentAddress === own && <Badge tone="accent">{t('account.here')}</Badge>}
          </span>
          {/* Names may be alike; on a phone there is no column that tells them apart. */}
          <span className="block font-mono text-11 text-muted tablet:hidden" title={agentAddress}>
            {short(agentAddress)}
          </span>
        </>
      ),
    },
    {
      id: 'address',
      header: t('account.address'),
      width: '120px',
      from: 'tablet',
      cell: ({ agentAddress }) => (
        <span className="font-mono text-12" title={agentAddress}>
          {short(agentAddress)}
        </span>
      ),
    },
    {
      id: 'age',
      header: t('account.age'),
      align: 'right',
      width: '110px',
      phoneWidth: '88px',
      cell: ({ updateTime }) => (
        <span className="text-muted" title={wholeDate(updateTime)}>
          {relative(Math.min(-1_000, updateTime - venueNow()))}
        </span>
      ),
    },
    {
      id: 'revoke',
      header: <span className="heard">{t('ui.revoke')}</span>,
      align: 'right',
      width: '140px',
      phoneWidth: '108px',
      cell: (agent) =>
        revoking !== undefined && (
          <ConfirmButton
            size="small"
            label={t('ui.revoke')}
            sure={t('ui.revokeSure')}
            isBusy={revoking.isBusy}
            onConfirm={() => void revoking.revoke(agent)}
          />
        ),
    },
  ];
}
