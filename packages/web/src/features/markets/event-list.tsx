import { Link } from '@tanstack/react-router';
import type { OutcomeEventMeta } from '@oddlot/sdk';
import type { ReactNode } from 'react';
import { countdown } from '../../lib/time.ts';
import { EventTitle } from '../../ui/event-title.tsx';
import { Section } from './section.tsx';

/** Events under a heading, an `EventLine` each; without any there is no heading either. */
export function EventList({
  children: lines,
  ...heading
}: {
  readonly id: string;
  readonly title: string;
  readonly className?: string;
  readonly children: readonly ReactNode[];
}) {
  if (lines.length === 0) return null;
  return (
    <Section {...heading}>
      <ul>{lines}</ul>
    </Section>
  );
}

/** An event in a list: its title, which leads to it, and what the list has to say of it. */
export function EventLine({
  event: { slug, title },
  children,
}: {
  readonly event: OutcomeEventMeta;
  readonly children: ReactNode;
}) {
  return (
    <li className="relative flex h-10 items-center gap-4 border-b border-line/50 px-4 hover:bg-raised/60">
      <Link to={`/events/${slug}`} className="min-w-0 flex-1 truncate after:absolute after:inset-0">
        <EventTitle title={title} isShort />
      </Link>
      {children}
    </li>
  );
}

/** How long until it opens or ends, at the end of its line. */
export function Countdown({ ms }: { readonly ms: number }) {
  return <span className="w-20 shrink-0 text-end text-muted">{countdown(ms)}</span>;
}
