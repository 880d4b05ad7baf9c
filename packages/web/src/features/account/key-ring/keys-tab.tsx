import type { ApprovedAgent } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useId, useMemo, useState, type ReactNode } from 'react';
import { relative, short, wholeDate } from '../../../lib/format.ts';
import { inOneDirection, useWords, type Words } from '../../../lib/words.ts';
import { queryClient } from '../../../market/queries.ts';
import { verbatimReader, reader, venueNow } from '../../../market/venue.ts';
import { ApprovedBuilders } from '../../../session/approved-builders.tsx';
import { enableTrading } from '../../../session/browser-wallets.ts';
import { canKeepKeys } from '../../../session/key-safe.ts';
import { doneOnce, forgetAgent } from '../../../session/sent-once.ts';
import { eraseKeys, exportBurner, type Session } from '../../../session/session.ts';
import { Button, Checkbox, ConfirmButton } from '../../../ui/controls.tsx';
import { Badge, Code, CopyButton } from '../../../ui/figures.tsx';
import { Dialog } from '../../../ui/overlays.tsx';
import { EmptyState, ErrorSentence, useDoing } from '../../../ui/states.tsx';
import { Table, type Column } from '../../../ui/table.tsx';

export function KeysTab({ session }: { readonly session: Session }) {
  const t = useWords();
  const { address, owner } = session;
  return (
    <div className="grid desktop:min-h-[calc(100dvh-140px)] desktop:grid-cols-2">
      <div className="min-w-0 divide-y divide-line border-line desktop:border-e">
        <Part title={t('account.agents')} text={t('account.agentsText')}>
          <Agents session={session} />
        </Part>
        <Part title={t('builder.approved')} text={t('account.buildersText')}>
          <ApprovedBuilders user={address} owner={owner} />
        </Part>
      </div>
      <div className="min-w-0 divide-y divide-line max-desktop:border-t max-desktop:border-line">
        {session.kind !== 'spectator' && (
          <Part title={t('account.browserKeys')} text={t('account.browserKeysText')}>
            <BrowserKeys session={session} />
          </Part>
        )}
        <Part title={t('account.multiSig')} text={t('account.multiSigText')}>
          <MultiSig session={session} />
        </Part>
      </div>
    </div>
  );
}

type PartProps = { readonly title: string; readonly text: string; readonly children: ReactNode };

function Part({ title, text, children }: PartProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="px-4 pt-4 pb-2">
        <h2 id={id} className="text-15 font-semibold">
          {title}
        </h2>
        <p className="text-12 text-muted">{text}</p>
      </div>
      {children}
    </section>
  );
}

export function BrowserKeys({ session }: { readonly session: Session }) {
  const t = useWords();
  const [asked, setAsked] = useState<'show' | 'erase'>();
  const close = (): void => setAsked(undefined);
  const { agentAddress, kind } = session;
  const isBurner = kind === 'burner';
  const hasNone = !isBurner && agentAddress === undefined;
  return (
    <div className="flex flex-col gap-3 px-4 pb-4">
      {hasNone ? (
        <p className="text-12 text-muted">{t('account.hasNoKeys')}</p>
      ) : (
        <ul className="flex flex-col text-13">
          {isBurner && <StoredKey name={t('account.hasBurner')} address={session.address} />}
          {agentAddress !== undefined && (
            <StoredKey name={t('account.hasAgent')} address={agentAddress} />
          )}
        </ul>
      )}
      {!canKeepKeys() && <p className="text-12 text-warning">{t('first.notKept')}</p>}
      {!hasNone && (
        <p className="flex flex-wrap gap-2">
          {isBurner && <Button onClick={() => setAsked('show')}>{t('account.export')}</Button>}
          <Button kind="danger" onClick={() => setAsked('erase')}>
            {t('account.erase')}
          </Button>
        </p>
      )}
      <Dialog
        title={t('account.export')}
        description={t('account.exportText')}
        isOpen={asked === 'show'}
        onClose={close}
      >
        <BurnerKey />
      </Dialog>
      <Dialog
        title={t('account.erase')}
        description={t(isBurner ? 'account.eraseBurnerText' : 'account.eraseAgentText')}
        isOpen={asked === 'erase'}
        onClose={close}
      >
        <Erase session={session} />
      </Dialog>
    </div>
  );
}

function StoredKey({ name, address }: { readonly name: string; readonly address: string }) {
  return (
    <li className="flex h-9 items-center justify-between gap-4 border-b border-line/50">
      <span className="truncate">{name}</span>
      <span className="font-mono text-12 text-muted" title={address}>
        {short(address)}
      </span>
    </li>
  );
}

function BurnerKey() {
  const t = useWords();
  const [key, setKey] = useState<string>();
  const { error, isBusy, run } = useDoing();
  const show = (): Promise<boolean> => run(async () => setKey(await exportBurner()));
  return key === undefined ? (
    <div className="flex flex-col gap-2">
      <Button kind="accent" isWide isBusy={isBusy} onClick={() => void show()}>
        {t('account.showKey')}
      </Button>
      {error !== undefined && <ErrorSentence error={error} />}
    </div>
  ) : (
    <div className="flex flex-col items-start gap-3">
      <p className="w-full rounded border border-line bg-canvas/60 p-3">
        <Code>{key}</Code>
      </p>
      <CopyButton text={key} />
    </div>
  );
}

function Erase({ session }: { readonly session: Session }) {
  const t = useWords();
  const [isSure, setIsSure] = useState(false);
  const { error, isBusy, run } = useDoing();
  return (
    <div className="flex flex-col gap-4">
      <Checkbox
        label={t(session.kind === 'burner' ? 'account.eraseSure' : 'account.eraseAgentSure')}
        isOn={isSure}
        onChange={setIsSure}
      />
      <Button
        kind="danger"
        isWide
        isBusy={isBusy}
        disabled={!isSure}
        onClick={() => void run(() => eraseKeys(session))}
      >
        {t('account.eraseButton')}
      </Button>
      {error !== undefined && <ErrorSentence error={error} />}
    </div>
  );
}

const ConvertDialog = lazy(async () => ({
  default: (await import('./convert-dialog.tsx')).ConvertDialog,
}));

export function MultiSig({ session }: { readonly session: Session }) {
  const t = useWords();
  const { address: user, owner } = session;
  const [isConverting, setIsConverting] = useState(false);
  const { data } = useQuery({
    queryKey: ['multiSigSigners', user],
    queryFn: ({ signal }) => reader.info.multiSigSigners({ user }, { signal }),
    staleTime: 0,
  });
  if (data === undefined) return null;
  return (
    <div className="flex flex-col gap-2 px-4 pb-4 text-12">
      {data === null ? (
        <>
          <p>{t('account.ordinary')}</p>
          {owner !== undefined && (
            <span>
              <Button onClick={() => setIsConverting(true)}>{t('account.convert')}</Button>
            </span>
          )}
        </>
      ) : (
        <>
          <p>
            {t('account.threshold', {
              threshold: data.threshold,
              count: data.authorizedUsers.length,
            })}
          </p>
          <ul className="flex flex-col gap-1">
            {data.authorizedUsers.map((signer) => (
              <li key={signer}>
                <Code>{signer}</Code>
              </li>
            ))}
          </ul>
          <p className="text-muted">{t('account.convertedText')}</p>
        </>
      )}
      {isConverting && owner !== undefined && data === null && (
        <Suspense>
          <ConvertDialog session={session} owner={owner} onClose={() => setIsConverting(false)} />
        </Suspense>
      )}
    </div>
  );
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const NONE: readonly ApprovedAgent[] = [];

function Agents({ session }: { readonly session: Session }) {
  const t = useWords();
  const { address, agentAddress, owner, trader } = session;
  const queryKey = useMemo(
    () => ['approvedAgents', address, agentAddress],
    [address, agentAddress],
  );
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => verbatimReader.info.approvedAgents({ user: address }, { signal }),
    staleTime: 0,
  });
  const { error, isBusy, run } = useDoing();
  const columns = useMemo(() => {
    const revoke = (agent: ApprovedAgent): Promise<boolean> =>
      run(async () => {
        const agentName = agent.agentName === '' ? null : agent.agentName;
        const revoked = { agentAddress: ZERO_ADDRESS, agentName };
        await doneOnce(owner!, ({ exchange }) =>
          exchange.approveAgent(revoked, { confirm: 'executed' }),
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
        rows={data ?? NONE}
        rowKey={({ agentName }) => agentName}
        rowHeight={44}
        empty={
          data !== undefined && (
            <EmptyState title={t('account.noAgents')} text={t('account.noAgentsText')} />
          )
        }
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
  readonly own: string | undefined;
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
            {/* Names are user input, so their writing direction is isolated. */}
            <bdi
              className={agentName.trim() === '' ? 'truncate text-muted' : 'truncate'}
              title={inOneDirection(agentName)}
            >
              {agentName.trim() === '' ? t('account.unnamed') : inOneDirection(agentName)}
            </bdi>
            {agentAddress === own && <Badge tone="accent">{t('account.here')}</Badge>}
          </span>
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
      phoneWidth: '80px',
      cell: ({ updateTime }) => (
        <span className="text-muted" title={wholeDate(updateTime)}>
          {relative(Math.min(-1_000, updateTime - venueNow()))}
        </span>
      ),
    },
    {
      id: 'revoke',
      header: <span className="visually-hidden">{t('ui.revoke')}</span>,
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
