import * as plansContract from '@propusk/contract/plans';
import * as contract from '@propusk/contract/tariff';
import { asMember } from '../core/actor.ts';
import type { Target } from '../core/versions.ts';
import { implement } from '../http/implement.ts';
import type { Slice } from '../slice.ts';
import { createPlan, findConcerned, readPlans, updatePlan } from './plans.ts';
import { answerRequest, createRequest, readRequests, withdrawRequest } from './requests.ts';
import { findContact, findTariff, setContact, setPhone, setTariff, startTrial } from './store.ts';

/** Routes for plans, tariffs of companies, tariff requests and the operator's contact. */
export function tariffRoutes(routes: Slice): void {
  const { outbox, links } = routes;

  implement(routes, plansContract.listPlans, async ({ db }) => {
    const rows = await readPlans(db);
    return { rows, count: rows.length };
  });
  implement(routes, plansContract.createPlan, ({ actor, body, write }) =>
    write((tx) => createPlan(tx, actor, body)),
  );
  implement(routes, plansContract.updatePlan, ({ actor, target, body, write }) =>
    write((tx) => updatePlan(tx, actor, target, body)),
  );
  implement(routes, plansContract.planCompanies, ({ params, body, db }) =>
    findConcerned(db, params.id, body),
  );

  implement(routes, contract.myTariff, ({ actor, db }) => findTariff(db, asMember(actor).companyId));
  implement(routes, contract.companyTariff, ({ params, db }) => findTariff(db, params.id));
  implement(routes, contract.setTariff, ({ actor, target, body, write }) =>
    write((tx) => setTariff(tx, actor, target, body)),
  );
  implement(routes, contract.startTrial, ({ actor, write }) =>
    write((tx) => startTrial(tx, asMember(actor))),
  );
  implement(routes, contract.setPhone, ({ actor, body, ifMatch, write }) =>
    write((tx) => setPhone(tx, asMember(actor), body.phone, ifMatch)),
  );

  implement(routes, contract.getContact, ({ db }) => findContact(db));
  implement(routes, contract.setContact, ({ actor, body, ifMatch, write }) =>
    write((tx) => setContact(tx, actor, body, ifMatch)),
  );

  implement(routes, contract.createRequest, async ({ actor, body, write }) => {
    const member = asMember(actor);
    const page = links.page('/dashboard/admin/plans');
    await using charged = await routes.throttle.charge('tariffRequest', member.companyId);
    return charged.keep(await write((tx) => createRequest(tx, member, body, { outbox, page })));
  });
  implement(routes, contract.withdrawRequest, ({ actor, params, write }) =>
    write((tx) => withdrawRequest(tx, asMember(actor), params.id)),
  );
  implement(routes, contract.listRequests, ({ query, db }) => readRequests(db, query));
  implement(routes, contract.answerRequest, ({ actor, params, body, write }) => {
    const page = links.page('/dashboard/creator/tariff');
    return write((tx) => {
      const set = (company: Target) => setTariff(tx, actor, company, body);
      return answerRequest(tx, actor, params.id, body, { outbox, page, set });
    });
  });
}
