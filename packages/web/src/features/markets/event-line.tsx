import { Link } from '@tanstack/react-router';
import type { OutcomeEventMeta } from '@oddlot/sdk';
import type { ReactNode } from 'react';
import { EventTitle } from '../../ui/event-title.tsx';

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
