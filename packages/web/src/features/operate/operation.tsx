import type {
  ActionReply,
  Client,
  GateLists,
  Reserves,
  VenueGate,
  VenueHealth,
  VenueStatus,
} from '@oddlot/sdk';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { explainRefusal } from '../../lib/explain-error.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { queryClient, useSettings } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import { loadSigning, useSession, type Session } from '../../session/session.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { Dialog, notify } from '../../ui/overlays.tsx';
import { ErrorSentence, useDoing, type Doing } from '../../ui/states.tsx';

export type OperatorBlocker =
  | { readonly why: 'nobody' }
  | { readonly why: 'notOperator' | 'noKey'; readonly address: string }
  | Readonly<{ why: 'chain'; address: string; own: number; venue: number }>;

export type Operator = {
  readonly address: string | undefined;
  readonly isAdmin: boolean;
  readonly isDeployer: boolean;
  readonly isByKey: boolean;
  readonly admin: Client | undefined;
  readonly deployer: Client | undefined;
  readonly hindrance: OperatorBlocker | undefined;
};

/** Returns what the user of the current session may operate. Agents are never operators. */
export function useOperator(status: VenueStatus): Operator {
  const session = useSession();
  const key = useOperatorKey();
  const chain = useChain(session);
  const address = key?.address ?? session?.address;
  const isAdmin = address !== undefined && status.admins.includes(address);
  const isDeployer = address !== undefined && status.deployers.includes(address);
  const hindrance =
    key === undefined
      ? hindranceOf(session, { isOperator: isAdmin || isDeployer, ...chain })
      : isAdmin || isDeployer
        ? undefined
        : { why: 'notOperator' as const, address: key.address };
  const client = hindrance === undefined ? (key?.client ?? session?.owner) : undefined;
  return {
    address,
    isAdmin,
    isDeployer,
    isByKey: key !== undefined,
    admin: isAdmin ? client : undefined,
    deployer: isDeployer ? client : undefined,
    hindrance,
  };
}

type Chain = { readonly own: number | undefined; readonly venue: number | undefined };

function hindranceOf(
  session: Session | undefined,
  { isOperator, own, venue }: Chain & { readonly isOperator: boolean },
): OperatorBlocker | undefined {
  if (session === undefined) return { why: 'nobody' };
  const { address, owner } = session;
  if (!isOperator) return { why: 'notOperator', address };
  if (owner === undefined) return { why: 'noKey', address };
  if (own === undefined || venue === undefined || own === venue) return undefined;
  return { why: 'chain', address, own, venue };
}

const EVERY_MS = 3_000;

function useChain(session: Session | undefined): Chain {
  const { data: settings } = useSettings();
  const wallet = session?.owner?.wallet;
  const { data: own } = useQuery({
    queryKey: ['walletChain', session?.address],
    queryFn: async () => (await wallet?.chainId?.()) ?? null,
    enabled: wallet?.chainId !== undefined,
    refetchInterval: EVERY_MS,
  });
  return { own: own ?? undefined, venue: settings?.chain_id };
}

/**
 * An operator's key. The user enters it, because wallets do not support the chain that operator
 * actions are signed for. The key is kept only in memory.
 */
type OperatorKey = { readonly address: string; readonly client: Client };

const store = createStore<{ readonly key: OperatorKey | undefined }>(() => ({ key: undefined }));

function useOperatorKey(): OperatorKey | undefined {
  return useStore(store, ({ key }) => key);
}

const KEY = /^(?:0x)?[0-9a-fA-F]{64}$/;

/** The order of the curve. Valid keys are between 0 and this number. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export function faultOfKey(typed: string): 'form' | 'value' | undefined {
  if (!KEY.test(typed.trim())) return 'form';
  const value = BigInt(`0x${digitsOf(typed)}`);
  return value > 0n && value < ORDER ? undefined : 'value';
}

function digitsOf(typed: string): string {
  return typed.trim().replace(/^0x/i, '');
}

export async function openOperatorKey(typed: string): Promise<OperatorKey> {
  const { clientOf, keyWallet } = await loadSigning();
  const wallet = keyWallet(`0x${digitsOf(typed)}`);
  const key = { address: wallet.address, client: clientOf(wallet) };
  putOperatorKeyAway();
  store.setState({ key });
  return key;
}

export function putOperatorKeyAway(): void {
  store.getState().key?.client.close();
  store.setState({ key: undefined });
}

const USESTATUS_EVERY_MS = 2_000;
const RESERVES_EVERY_MS = 10_000;

export function useStatus(): UseQueryResult<VenueStatus> {
  return useQuery({
    queryKey: ['venueStatus'],
    queryFn: ({ signal }) => reader.info.venueStatus({}, { signal }),
    refetchInterval: USESTATUS_EVERY_MS,
  });
}

export function useGateLists(gate: VenueGate): UseQueryResult<GateLists> {
  const { accessCodes, blacklist, channel, grants, whitelist } = gate;
  return useQuery({
    queryKey: ['gateLists', channel, accessCodes, blacklist, grants, whitelist],
    queryFn: ({ signal }) => reader.info.gateLists({ channel }, { signal }),
    placeholderData: (before) => before,
  });
}

export function useHealth(): UseQueryResult<VenueHealth> {
  return useQuery({
    queryKey: ['venueHealth'],
    queryFn: ({ signal }) => reader.info.venueHealth({}, { signal }),
    refetchInterval: USESTATUS_EVERY_MS,
  });
}

export function useReserves(): UseQueryResult<Reserves> {
  return useQuery({
    queryKey: ['reserves'],
    queryFn: ({ signal }) => reader.info.reserves({}, { signal }),
    refetchInterval: RESERVES_EVERY_MS,
  });
}

/** Operator actions wait for execution, so that lists shown afterwards include their effects. */
export const CONFIRMED = { confirm: 'executed' } as const;

export type Operation = Pick<Doing, 'isBusy' | 'error'> & {
  readonly operate: (act: () => Promise<ActionReply>, done: string) => Promise<boolean>;
};

export function useOperation(): Operation {
  const t = useWords();
  const { error, isBusy, run } = useDoing();
  const operate = useCallback(
    async (act: () => Promise<ActionReply>, done: string): Promise<boolean> => {
      const isDone = await run(async () => {
        const reply = await act();
        if (reply.status === 'pending') throw new Error(t('operate.pending'));
        // An action that was only partly executed, for example because of an outdated price, counts
        // as rejected.
        if (reply.status === 'executed' && reply.failure !== undefined) {
          const { details, error: message } = reply.failure;
          throw new Error(
            explainRefusal({ message, details }, t, (field) => nameOf(field, t)).sentence,
          );
        }
      });
      void queryClient.invalidateQueries();
      if (isDone) notify({ title: done });
      return isDone;
    },
    [run, t],
  );
  return { error, isBusy, operate };
}

export function Refusal({ error }: { readonly error: unknown }) {
  const t = useWords();
  return <ErrorSentence error={error} nameOf={(field) => nameOf(field, t)} />;
}

const NAMES = {
  name: 'operate.perp.base',
  baseCurrency: 'operate.perp.base',
  szDecimals: 'operate.perp.szDecimals',
  priceTick: 'operate.perp.priceTick',
  maxLimitOrderSize: 'operate.perp.maxOrderSize',
  maxMarketOrderSize: 'operate.perp.maxOrderSize',
  makerFeeRate: 'operate.perp.makerFee',
  takerFeeRate: 'operate.perp.takerFee',
  impactNotional: 'operate.perp.impactNotional',
  maxSize: 'operate.perp.maxSize',
  maxLeverage: 'operate.perp.maxLeverage',
  mmr: 'operate.perp.mmr',
  oraclePx: 'operate.oraclePrice',
  tiers: 'operate.ladder',
  min14dTradingVolume: 'operate.tier.min14dTradingVolume',
  perpMakerFeeRate: 'operate.perp.makerFee',
  perpTakerFeeRate: 'operate.perp.takerFee',
  title: 'operate.event.title',
  question: 'operate.event.question',
  groupTitle: 'operate.event.name',
  category: 'operate.event.category',
  description: 'operate.event.description',
  resolutionSource: 'operate.event.source',
  endTime: 'operate.event.endsAt',
  orderDelayMs: 'operate.event.delayMs',
  settlementFraction: 'operate.result',
  evidence: 'operate.evidenceShort',
  code: 'operate.code',
  maxUses: 'operate.uses',
  user: 'operate.address',
} as const;

function nameOf(field: string, t: Words): string | undefined {
  const last = field.split('.').at(-1) ?? '';
  return Object.hasOwn(NAMES, last) ? t(NAMES[last as keyof typeof NAMES]) : undefined;
}

export function NeedsRole({ who }: { readonly who: 'admin' | 'deployer' }) {
  const t = useWords();
  return (
    <p className="border-b border-line px-4 py-2 text-12 text-muted">
      {t(who === 'admin' ? 'operate.needsAdmin' : 'operate.needsDeployer')}
    </p>
  );
}

export function OperatedList({
  who,
  isOperator,
  add,
  help,
  error,
  onAdd,
  children,
}: {
  readonly who: 'admin' | 'deployer';
  readonly isOperator: boolean;
  readonly add: string;
  readonly help: string;
  readonly error: unknown;
  readonly onAdd: () => void;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex min-h-0 flex-col">
      {isOperator ? (
        <div className="flex items-center gap-4 border-b border-line px-4 py-2">
          <Button kind="accent" onClick={onAdd}>
            {add}
          </Button>
          <p className="text-12 text-muted">{help}</p>
        </div>
      ) : (
        <NeedsRole who={who} />
      )}
      {error !== undefined && (
        <div className="px-4 py-2">
          <Refusal error={error} />
        </div>
      )}
      {children}
    </div>
  );
}

/**
 * The button remains disabled for longer than a double click or a key repeat, so that neither
 * confirms the action.
 */
const PAUSE_MS = 800;

export function AskDialog({
  title,
  description,
  label,
  typed,
  isDangerous = true,
  operation: { error, isBusy },
  onSend,
  onClose,
  children,
}: {
  readonly title: string;
  readonly description: string;
  readonly label: string;
  readonly typed?: string;
  readonly isDangerous?: boolean;
  readonly operation: Pick<Operation, 'error' | 'isBusy'>;
  readonly onSend: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  const t = useWords();
  const [name, setName] = useState('');
  const isAwake = useIsAwake();
  const isNamed = typed === undefined || name.trim().toUpperCase() === typed.toUpperCase();
  // Without this check, the second half of a double click outside the dialog would close the
  // dialog.
  const dismiss = (): void => {
    if (isAwake) onClose();
  };
  return (
    <Dialog title={title} description={description} isOpen onClose={dismiss}>
      {children}
      {typed !== undefined && (
        <div className="mt-4">
          <TextField
            label={t('operate.typeName', { name: typed })}
            value={name}
            placeholder={typed}
            onChange={setName}
          />
        </div>
      )}
      <div className="mt-4 flex flex-col gap-3">
        {error !== undefined && <Refusal error={error} />}
        <div className="flex gap-2">
          <Button size="large" onClick={onClose}>
            {t('operate.leaveIt')}
          </Button>
          <span className="min-w-0 flex-1">
            <Button
              kind={isDangerous ? 'danger' : 'accent'}
              size="large"
              isWide
              isBusy={isBusy}
              disabled={!isAwake || !isNamed}
              onClick={onSend}
            >
              {label}
            </Button>
          </span>
        </div>
      </div>
    </Dialog>
  );
}

function useIsAwake(): boolean {
  const [isAwake, setIsAwake] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsAwake(true), PAUSE_MS);
    return () => clearTimeout(timer);
  }, []);
  return isAwake;
}

export function Facts({
  facts,
}: {
  readonly facts: readonly { readonly label: string; readonly value: ReactNode }[];
}) {
  return (
    <dl className="flex flex-col gap-1">
      {facts.map(({ label, value }) => (
        <div key={label} className="flex justify-between gap-4">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 text-end break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function FormDialog({
  title,
  description,
  isWide = false,
  label,
  isReady,
  operation: { error, isBusy },
  onSend,
  onClose,
  children,
}: {
  readonly title: string;
  readonly description: string;
  readonly isWide?: boolean;
  readonly label: string;
  readonly isReady: boolean;
  readonly operation: Pick<Operation, 'error' | 'isBusy'>;
  readonly onSend: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog title={title} description={description} isOpen isWide={isWide} onClose={onClose}>
      {children}
      <div className="mt-4 flex flex-col gap-3">
        {error !== undefined && <Refusal error={error} />}
        <Button
          kind="accent"
          size="large"
          isWide
          isBusy={isBusy}
          disabled={!isReady}
          onClick={onSend}
        >
          {label}
        </Button>
      </div>
    </Dialog>
  );
}
