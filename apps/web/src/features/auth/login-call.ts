import { Login, login } from '@propusk/contract/auth';
import { FactorConfirmation } from '@propusk/contract/second-factor';
import { call } from '../../api/call.ts';
import { contractResolver } from '../../common/use-contract-form.ts';

/** What judges the form of the login page. */
export const resolver = contractResolver(Login);

/** What judges the code that the second factor asks for. */
export const codeResolver = contractResolver(FactorConfirmation);

/** Signs in. */
export const send = (body: Login) => call(login, { body });
