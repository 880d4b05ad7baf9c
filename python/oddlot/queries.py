# Made by npm run write-openapi.
"""The queries of a venue, as methods."""

from __future__ import annotations

from typing import Any, Callable, Literal, Sequence

from . import types

Query = Callable[..., Any]


class Queries:
    """One method per query. Parameters that are None are omitted."""

    def __init__(self, query: Query) -> None:
        self._query = query

    def perp_meta(
        self,
        *,
        dex: Literal[""] | None = None,
        min_height: int | None = None,
    ) -> types.PerpUniverse:
        """Returns every perp with its precision and limits."""
        return self._query(
            "perpMeta",
            dex=dex,
            minHeight=min_height,
        )

    def perp_meta_detail(
        self,
        *,
        asset_name: str,
        min_height: int | None = None,
    ) -> types.PerpMetaDetail:
        """Returns one base asset, its perps and their margin tables."""
        return self._query(
            "perpMetaDetail",
            assetName=asset_name,
            minHeight=min_height,
        )

    def l2_book(
        self,
        *,
        coin: str,
        tick: Literal[""] | str | None = None,
        min_height: int | None = None,
    ) -> types.L2Book:
        """Returns the book of an instrument, with at most 20 levels on each side."""
        return self._query(
            "l2Book",
            coin=coin,
            tick=tick,
            minHeight=min_height,
        )

    def candle_snapshot(
        self,
        *,
        req: Any,
        min_height: int | None = None,
    ) -> list[types.Candle]:
        """Returns an instrument's candles, oldest first: the latest 5,000 in the period."""
        return self._query(
            "candleSnapshot",
            req=req,
            minHeight=min_height,
        )

    def funding_history(
        self,
        *,
        coin: str,
        start_time: int,
        end_time: int | None = None,
        min_height: int | None = None,
    ) -> list[types.FundingHistoryRow]:
        """
        Returns a perp's funding rate for each hour, oldest first: the first 500 in the
        period.
        """
        return self._query(
            "fundingHistory",
            coin=coin,
            startTime=start_time,
            endTime=end_time,
            minHeight=min_height,
        )

    def open_interest_history(
        self,
        *,
        coin: str,
        start_time: int,
        end_time: int | None = None,
        min_height: int | None = None,
    ) -> list[types.OpenInterestRow]:
        """
        Returns an instrument's open interest at the start of each hour, oldest first: the
        first 500 in the period.
        """
        return self._query(
            "openInterestHistory",
            coin=coin,
            startTime=start_time,
            endTime=end_time,
            minHeight=min_height,
        )

    def liquidations(
        self,
        *,
        coin: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        min_height: int | None = None,
    ) -> list[types.Liquidation]:
        """Returns liquidations in one perp or all perps, newest first."""
        return self._query(
            "liquidations",
            coin=coin,
            startTime=start_time,
            endTime=end_time,
            limit=limit,
            cursor=cursor,
            minHeight=min_height,
        )

    def largest_trades(
        self,
        *,
        coin: str | None = None,
        account_type: Literal["perp", "outcome", "perps"] | Sequence[Literal["perp", "outcome", "perps"]] | None = None,
        window: Literal["day", "week", "month"] | None = None,
        limit: int | None = None,
        min_height: int | None = None,
    ) -> types.LargestTrades:
        """
        Returns the largest trades of a day, a week or a month by notional value: in all
        perps, in all outcome markets, or in one instrument.
        """
        return self._query(
            "largestTrades",
            coin=coin,
            accountType=account_type,
            window=window,
            limit=limit,
            minHeight=min_height,
        )

    def leaderboard(
        self,
        *,
        window: Literal["day", "week", "month", "all"] | None = None,
        sort_by: Literal["pnl", "volume"] | None = None,
        limit: int | None = None,
        min_height: int | None = None,
    ) -> types.Leaderboard:
        """
        Returns the accounts with the highest profit or volume in a window. The query is
        rejected if the operator has disabled it.
        """
        return self._query(
            "leaderboard",
            window=window,
            sortBy=sort_by,
            limit=limit,
            minHeight=min_height,
        )

    def outcome_meta(
        self,
        *,
        exchange_id: Literal[1] | None = None,
        limit: int | None = None,
        sort_by: Literal["volume", "endingSoon", "newest", "liquidity", "trending"] | None = None,
        sort_order: Literal["asc", "desc"] | None = None,
        cursor: str | None = None,
        after_cursor: str | None = None,
        event_slug: str | None = None,
        market_slugs: Sequence[str] | None = None,
        instrument_ids: Sequence[int] | None = None,
        markets: Literal["matched", "event"] | None = None,
        tag: str | None = None,
        category: str | None = None,
        search: str | None = None,
        status: Literal["upcoming", "open", "closed", "resolved", "all"] | None = None,
        min_height: int | None = None,
    ) -> types.OutcomeEventMeta | types.OutcomeEventPage:
        """Returns a page of events with their markets. A page's cursor selects the next page."""
        return self._query(
            "outcomeMeta",
            exchangeId=exchange_id,
            limit=limit,
            sortBy=sort_by,
            sortOrder=sort_order,
            cursor=cursor,
            after_cursor=after_cursor,
            eventSlug=event_slug,
            marketSlugs=market_slugs,
            instrumentIds=instrument_ids,
            markets=markets,
            tag=tag,
            category=category,
            search=search,
            status=status,
            minHeight=min_height,
        )

    def outcome_asset_ctxs(
        self,
        *,
        instrument_ids: Sequence[int],
        exchange_id: Literal[1] | None = None,
        min_height: int | None = None,
    ) -> list[types.OutcomeAssetCtx]:
        """Returns prices, volumes and open interest for up to 50 outcome markets."""
        return self._query(
            "outcomeAssetCtxs",
            instrumentIds=instrument_ids,
            exchangeId=exchange_id,
            minHeight=min_height,
        )

    def outcome_probability(
        self,
        *,
        instrument_ids: Sequence[int],
        interval: Literal["1h", "6h", "1d", "1w", "1m", "max"] | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        fidelity: int | None = None,
        min_height: int | None = None,
    ) -> types.OutcomeProbability:
        """Returns the prices of YES in up to 50 markets over time, oldest first."""
        return self._query(
            "outcomeProbability",
            instrumentIds=instrument_ids,
            interval=interval,
            startTime=start_time,
            endTime=end_time,
            fidelity=fidelity,
            minHeight=min_height,
        )

    def outcome_series_timeline(
        self,
        *,
        series_slug: str,
        exchange_id: Literal[1] | None = None,
        limit: int | None = None,
        before: int | None = None,
        after: int | None = None,
        min_height: int | None = None,
    ) -> types.OutcomeSeriesTimeline:
        """Returns a series' markets with strikes and results, latest start first."""
        return self._query(
            "outcomeSeriesTimeline",
            seriesSlug=series_slug,
            exchangeId=exchange_id,
            limit=limit,
            before=before,
            after=after,
            minHeight=min_height,
        )

    def outcome_resolution(
        self,
        *,
        instrument_id: int,
        min_height: int | None = None,
    ) -> types.OutcomeResolution:
        """Returns a market's resolution record. `checkResolution` recomputes the result."""
        return self._query(
            "outcomeResolution",
            instrumentId=instrument_id,
            minHeight=min_height,
        )

    def outcome_holders(
        self,
        *,
        instrument_id: int,
        outcome: Literal["Yes", "No"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        min_height: int | None = None,
    ) -> types.OutcomeHolders:
        """Returns the holders of an outcome's shares, largest first."""
        return self._query(
            "outcomeHolders",
            instrumentId=instrument_id,
            outcome=outcome,
            limit=limit,
            cursor=cursor,
            minHeight=min_height,
        )

    def crypto_price(
        self,
        *,
        symbol: str,
        event_start_time: int | str | None = None,
        end_time: int | str | None = None,
        variant: Literal["5m", "15m", "1h", "4h", "1d"] | None = None,
        source: Literal["spot", "oracle", "twap"] | None = None,
        min_height: int | None = None,
    ) -> types.CryptoPrice:
        """
        Returns a reference price: the price to beat and the final price. If no times are
        given, returns the latest price.
        """
        return self._query(
            "cryptoPrice",
            symbol=symbol,
            eventStartTime=event_start_time,
            endTime=end_time,
            variant=variant,
            source=source,
            minHeight=min_height,
        )

    def crypto_price_history(
        self,
        *,
        symbol: str,
        start_time: int,
        end_time: int,
        source: Literal["spot", "oracle", "twap"] | None = None,
        variant: str | None = None,
        min_height: int | None = None,
    ) -> types.CryptoPriceHistory:
        """
        Returns the reference prices in a period, oldest first, thinned evenly to at most
        2,000. With `variant: 'before'`, returns simulated prices from before the start of a
        simulated venue.
        """
        return self._query(
            "cryptoPriceHistory",
            symbol=symbol,
            startTime=start_time,
            endTime=end_time,
            source=source,
            variant=variant,
            minHeight=min_height,
        )

    def clearinghouse_state(
        self,
        *,
        user: str,
        account_type: Literal["perp", "outcome", "perps"] | None = None,
        exchange_id: int | None = None,
        min_height: int | None = None,
    ) -> types.ClearinghouseState:
        """Returns the positions and margin of a sub-account."""
        return self._query(
            "clearinghouseState",
            user=user,
            accountType=account_type,
            exchangeId=exchange_id,
            minHeight=min_height,
        )

    def perp_clearinghouse_state(
        self,
        *,
        user: str,
        exchange_id: Literal[0] | None = None,
        min_height: int | None = None,
    ) -> types.ClearinghouseState:
        """Returns the positions and margin of the perp sub-account."""
        return self._query(
            "perpClearinghouseState",
            user=user,
            exchangeId=exchange_id,
            minHeight=min_height,
        )

    def outcome_positions(
        self,
        *,
        user: str,
        exchange_id: Literal[1] | None = None,
        instrument_ids: Sequence[int] | None = None,
        min_height: int | None = None,
    ) -> list[types.AssetPosition]:
        """Returns an account's shares as positions: YES has a positive size, NO a negative one."""
        return self._query(
            "outcomePositions",
            user=user,
            exchangeId=exchange_id,
            instrumentIds=instrument_ids,
            minHeight=min_height,
        )

    def trigger_orders(
        self,
        *,
        user: str,
        asset: str | None = None,
        min_height: int | None = None,
    ) -> list[types.TriggerOrder]:
        """Returns a user's pending trigger orders."""
        return self._query(
            "triggerOrders",
            user=user,
            asset=asset,
            minHeight=min_height,
        )

    def active_asset_data(
        self,
        *,
        user: str,
        coin: str,
        px: Sequence[Any] | None = None,
        min_height: int | None = None,
    ) -> types.ActiveAssetData:
        """Returns the size that a user can trade in an instrument, and the user's leverage."""
        return self._query(
            "activeAssetData",
            user=user,
            coin=coin,
            px=px,
            minHeight=min_height,
        )

    def frontend_open_orders(
        self,
        *,
        user: str,
        exchange_id: Literal[0] | None = None,
        account_type: Literal["perp", "outcome", "perps"] | Sequence[Literal["perp", "outcome", "perps"]] | None = None,
        coin: str | None = None,
        min_height: int | None = None,
    ) -> list[types.OpenOrder | types.OutcomeOpenOrder]:
        """Returns a user's open orders, newest first."""
        return self._query(
            "frontendOpenOrders",
            user=user,
            exchangeId=exchange_id,
            accountType=account_type,
            coin=coin,
            minHeight=min_height,
        )

    def outcome_frontend_open_orders(
        self,
        *,
        user: str,
        instrument_ids: Sequence[int] | None = None,
        exchange_id: Any | None = None,
        min_height: int | None = None,
    ) -> list[types.OutcomeOpenOrder]:
        """
        Returns an account's resting orders on outcome markets, excluding those in the delay
        queue.
        """
        return self._query(
            "outcomeFrontendOpenOrders",
            user=user,
            instrumentIds=instrument_ids,
            exchangeId=exchange_id,
            minHeight=min_height,
        )

    def approved_agents(
        self,
        *,
        user: str,
        min_height: int | None = None,
    ) -> list[types.ApprovedAgent]:
        """Returns an account's agents, sorted by label."""
        return self._query(
            "approvedAgents",
            user=user,
            minHeight=min_height,
        )

    def agent_owner(
        self,
        *,
        agent: str | None = None,
        user: str | None = None,
        min_height: int | None = None,
    ) -> types.AgentOwner:
        """Returns the account that an agent belongs to."""
        return self._query(
            "agentOwner",
            agent=agent,
            user=user,
            minHeight=min_height,
        )

    def access_code_status(
        self,
        *,
        user: str,
        channel: Literal[0, 1] | None = None,
        min_height: int | None = None,
    ) -> types.AccessCodeStatus:
        """Returns whether a channel requires an access code, and whether the user has one."""
        return self._query(
            "accessCodeStatus",
            user=user,
            channel=channel,
            minHeight=min_height,
        )

    def approved_builders(
        self,
        *,
        user: str,
        min_height: int | None = None,
    ) -> list[types.ApprovedBuilder]:
        """Returns the builders that an account has approved, with their maximum fees."""
        return self._query(
            "approvedBuilders",
            user=user,
            minHeight=min_height,
        )

    def multi_sig_signers(
        self,
        *,
        user: str,
        min_height: int | None = None,
    ) -> None | types.MultiSigSigners2:
        """
        Returns an account's signers and the required number of signatures, or null for an
        ordinary account.
        """
        return self._query(
            "multiSigSigners",
            user=user,
            minHeight=min_height,
        )

    def multi_sig_changes(
        self,
        *,
        user: str,
        min_height: int | None = None,
    ) -> list[str]:
        """
        Returns the hashes of the requests that changed an account's signers, oldest first.
        Query `tx` for each of them.
        """
        return self._query(
            "multiSigChanges",
            user=user,
            minHeight=min_height,
        )

    def user_fills(
        self,
        *,
        user: str,
        account_type: Literal["perp", "outcome", "perps"] | Sequence[Literal["perp", "outcome", "perps"]] | None = None,
        coin: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        min_height: int | None = None,
    ) -> list[types.Fill]:
        """
        Returns an account's fills, newest first: trades, and changes through splits, merges
        and settlements.
        """
        return self._query(
            "userFills",
            user=user,
            accountType=account_type,
            coin=coin,
            startTime=start_time,
            endTime=end_time,
            limit=limit,
            offset=offset,
            cursor=cursor,
            minHeight=min_height,
        )

    def historical_orders(
        self,
        *,
        user: str,
        account_type: Literal["perp", "outcome", "perps"] | Sequence[Literal["perp", "outcome", "perps"]] | None = None,
        coin: str | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        min_height: int | None = None,
    ) -> list[types.HistOrderRow]:
        """Returns an account's open and finished orders, most recently changed first."""
        return self._query(
            "historicalOrders",
            user=user,
            accountType=account_type,
            coin=coin,
            startTime=start_time,
            endTime=end_time,
            limit=limit,
            cursor=cursor,
            minHeight=min_height,
        )

    def execution_report(
        self,
        *,
        user: str,
        oid: int | None = None,
        cloid: str | None = None,
        tx_hash: str | None = None,
        min_height: int | None = None,
    ) -> types.ExecutionReport:
        """
        Returns how an order, or each order in an action, was executed: its fills, prices and
        fees, and its position in the queue. Select it by `oid`, `cloid` or `txHash`.
        """
        return self._query(
            "executionReport",
            user=user,
            oid=oid,
            cloid=cloid,
            txHash=tx_hash,
            minHeight=min_height,
        )

    def user_non_funding_ledger_updates(
        self,
        *,
        user: str,
        account_types: Literal["perp", "outcome", "perps"] | Sequence[Literal["perp", "outcome", "perps"]] | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        min_height: int | None = None,
    ) -> list[types.LedgerUpdate]:
        """Returns all ledger updates of an account except trades and funding, newest first."""
        return self._query(
            "userNonFundingLedgerUpdates",
            user=user,
            accountTypes=account_types,
            startTime=start_time,
            endTime=end_time,
            limit=limit,
            offset=offset,
            cursor=cursor,
            minHeight=min_height,
        )

    def user_fundings(
        self,
        *,
        user: str,
        account_type: Literal["perp", "outcome", "perps"] | Sequence[Literal["perp", "outcome", "perps"]] | None = None,
        coin: str | None = None,
        contract: Literal["all", "active"] | None = None,
        start_time_ms: int | None = None,
        start_time: int | None = None,
        end_time_ms: int | None = None,
        end_time: int | None = None,
        funding_type: Literal["collected", "paid"] | None = None,
        direction: Literal["collected", "paid"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        min_height: int | None = None,
    ) -> types.UserFundings:
        """Returns an account's funding payments, newest first."""
        return self._query(
            "userFundings",
            user=user,
            accountType=account_type,
            coin=coin,
            contract=contract,
            startTimeMs=start_time_ms,
            startTime=start_time,
            endTimeMs=end_time_ms,
            endTime=end_time,
            fundingType=funding_type,
            direction=direction,
            limit=limit,
            offset=offset,
            cursor=cursor,
            minHeight=min_height,
        )

    def fee_tier_info(
        self,
        *,
        exchange_id: Literal[0, 1] | None = None,
        min_height: int | None = None,
    ) -> types.FeeTierInfo:
        """Returns the fee schedule."""
        return self._query(
            "feeTierInfo",
            exchangeId=exchange_id,
            minHeight=min_height,
        )

    def fee_tier_rates(
        self,
        *,
        user: str,
        exchange_id: Literal[0, 1] | None = None,
        min_height: int | None = None,
    ) -> types.FeeTierRates:
        """Returns a user's tier in the fee schedule and the requirements of the next tier."""
        return self._query(
            "feeTierRates",
            user=user,
            exchangeId=exchange_id,
            minHeight=min_height,
        )

    def builder_state(
        self,
        *,
        user: str,
        min_height: int | None = None,
    ) -> types.BuilderState:
        """Returns a builder's earnings and claims, and whether it can earn fees now."""
        return self._query(
            "builderState",
            user=user,
            minHeight=min_height,
        )

    def builder_me_claimed(
        self,
        *,
        user: str,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        page_size: int | None = None,
        cursor: str | None = None,
        min_height: int | None = None,
    ) -> types.BuilderMeClaimed:
        """Returns a builder's claims, newest first."""
        return self._query(
            "builderMeClaimed",
            user=user,
            startTime=start_time,
            endTime=end_time,
            page=page,
            pageSize=page_size,
            cursor=cursor,
            minHeight=min_height,
        )

    def builder_me_earned(
        self,
        *,
        user: str,
        start_time: int | None = None,
        end_time: int | None = None,
        page: int | None = None,
        page_size: int | None = None,
        cursor: str | None = None,
        min_height: int | None = None,
    ) -> types.BuilderMeEarned:
        """Returns a builder's earnings, one row per order, newest first."""
        return self._query(
            "builderMeEarned",
            user=user,
            startTime=start_time,
            endTime=end_time,
            page=page,
            pageSize=page_size,
            cursor=cursor,
            minHeight=min_height,
        )

    def builder_me_share(
        self,
        *,
        user: str,
        dimension: Literal["user", "instrument"] | None = None,
        window: Literal["7d", "30d", "90d", "all"] | None = None,
        min_height: int | None = None,
    ) -> types.BuilderShares:
        """Returns each user's or instrument's share of a builder's fees, largest first."""
        return self._query(
            "builderMeShare",
            user=user,
            dimension=dimension,
            window=window,
            minHeight=min_height,
        )

    def builder_me_claimable(
        self,
        *,
        user: str,
        min_height: int | None = None,
    ) -> types.BuilderClaimable:
        """
        Returns the amount that a builder can claim, as of the latest block in the history
        database.
        """
        return self._query(
            "builderMeClaimable",
            user=user,
            minHeight=min_height,
        )

    def portfolio(
        self,
        *,
        user: str,
        window: Literal["day", "week", "month", "all"] | None = None,
        min_height: int | None = None,
    ) -> types.Portfolio:
        """Returns an account's value over time. The last point is the present."""
        return self._query(
            "portfolio",
            user=user,
            window=window,
            minHeight=min_height,
        )

    def withdrawals(
        self,
        *,
        user: str,
        before: int | None = None,
        limit: int | None = None,
        min_height: int | None = None,
    ) -> list[types.Withdrawal]:
        """Returns an account's withdrawals, newest first."""
        return self._query(
            "withdrawals",
            user=user,
            before=before,
            limit=limit,
            minHeight=min_height,
        )

    def settings(
        self,
        *,
        min_height: int | None = None,
    ) -> types.Settings1 | types.Settings2:
        """Returns the settings of the deployment, in snake case as in the API."""
        return self._query(
            "settings",
            minHeight=min_height,
        )

    def rate_limit(
        self,
        *,
        min_height: int | None = None,
    ) -> types.RateLimit:
        """Returns the remaining budgets of this client."""
        return self._query(
            "rateLimit",
            minHeight=min_height,
        )

    def venue_status(
        self,
        *,
        min_height: int | None = None,
    ) -> types.VenueStatus:
        """
        Returns the operators, the access control, the venue's own funds and the age of its
        prices.
        """
        return self._query(
            "venueStatus",
            minHeight=min_height,
        )

    def venue_health(
        self,
        *,
        min_height: int | None = None,
    ) -> types.VenueHealth:
        """
        Returns the state of the responding process: its lag, its connections, and whether it
        is following the settlement chain.
        """
        return self._query(
            "venueHealth",
            minHeight=min_height,
        )

    def gate_lists(
        self,
        *,
        channel: Literal[0, 1] | None = None,
        min_height: int | None = None,
    ) -> types.GateLists:
        """Returns the accounts on a gate's lists."""
        return self._query(
            "gateLists",
            channel=channel,
            minHeight=min_height,
        )

    def action_status(
        self,
        *,
        tx_hash: str | None = None,
        trace_id: str | None = None,
        signer: str | None = None,
        nonce: int | None = None,
        min_height: int | None = None,
    ) -> types.ActionStatus1 | types.ActionStatus2 | types.ActionStatus3 | types.ActionStatus4 | types.ActionStatus5:
        """
        Returns the receipt of an action, selected by `txHash`, by `traceId`, or by `signer`
        and `nonce`.
        """
        return self._query(
            "actionStatus",
            txHash=tx_hash,
            traceId=trace_id,
            signer=signer,
            nonce=nonce,
            minHeight=min_height,
        )

    def explain_signature(
        self,
        *,
        envelope: Any,
        expect: str | None = None,
        min_height: int | None = None,
    ) -> types.ExplainedSignature:
        """
        Returns the signer of a request. If the signer is unknown, the response includes the
        mistake that explains the signature. The request is not executed.
        """
        return self._query(
            "explainSignature",
            envelope=envelope,
            expect=expect,
            minHeight=min_height,
        )

    def simulate(
        self,
        *,
        user: str,
        action: Any,
        vault_address: str | None = None,
        min_height: int | None = None,
    ) -> types.SimulatedAction:
        """
        Returns the effects that an action would have now: fills, fees, margin and positions,
        or the refusal. The action does not need a signature and is not executed.
        """
        return self._query(
            "simulate",
            user=user,
            action=action,
            vaultAddress=vault_address,
            minHeight=min_height,
        )

    def blocks(
        self,
        *,
        before: int | None = None,
        limit: int | None = None,
        min_height: int | None = None,
    ) -> list[types.BlockRow]:
        """Returns the newest blocks, or those before a height."""
        return self._query(
            "blocks",
            before=before,
            limit=limit,
            minHeight=min_height,
        )

    def block(
        self,
        *,
        height: int | None = None,
        hash: str | None = None,
        min_height: int | None = None,
    ) -> types.BlockDetail:
        """Returns a block by height or hash, with its transactions."""
        return self._query(
            "block",
            height=height,
            hash=hash,
            minHeight=min_height,
        )

    def tx(
        self,
        *,
        tx_hash: str | None = None,
        hash: str | None = None,
        min_height: int | None = None,
    ) -> types.TxDetail:
        """Returns a transaction by its hash: the request as received, and its result."""
        return self._query(
            "tx",
            txHash=tx_hash,
            hash=hash,
            minHeight=min_height,
        )

    def txs(
        self,
        *,
        height: int | None = None,
        user: str | None = None,
        limit: int | None = None,
        start_time: int | None = None,
        end_time: int | None = None,
        cursor: str | None = None,
        min_height: int | None = None,
    ) -> list[types.TxBrief]:
        """
        Returns summaries of transactions: those in a block, in order, or the newest ones of
        one account or all accounts.
        """
        return self._query(
            "txs",
            height=height,
            user=user,
            limit=limit,
            startTime=start_time,
            endTime=end_time,
            cursor=cursor,
            minHeight=min_height,
        )

    def state_hash(
        self,
        *,
        height: int | None = None,
        min_height: int | None = None,
    ) -> types.StateHash:
        """Returns the hash of the whole state after a block; by default, after the latest one."""
        return self._query(
            "stateHash",
            height=height,
            minHeight=min_height,
        )

    def deposit_with_permit(
        self,
        *,
        user: str,
        usd: str,
        deadline: str,
        signature: Any,
        wait_for_receipt: bool | None = None,
        min_height: int | None = None,
    ) -> types.PermitDeposit:
        """
        Deposits USDC from the settlement chain using a signed permit, so the user does not
        need ether. Sending the same permit again returns the same transaction.
        """
        return self._query(
            "depositWithPermit",
            user=user,
            usd=usd,
            deadline=deadline,
            signature=signature,
            waitForReceipt=wait_for_receipt,
            minHeight=min_height,
        )

    def reserves(
        self,
        *,
        min_height: int | None = None,
    ) -> types.Reserves:
        """
        Returns the venue's liabilities and the bridge's assets, both as last published and as
        of now.
        """
        return self._query(
            "reserves",
            minHeight=min_height,
        )

    def reserves_proof(
        self,
        *,
        user: str,
        min_height: int | None = None,
    ) -> None | types.ReservesProof:
        """
        Returns proof that the last publication includes an address, or null if the address
        had no account at that time. Check the proof with `oddlot verify reserves`.
        """
        return self._query(
            "reservesProof",
            user=user,
            minHeight=min_height,
        )
