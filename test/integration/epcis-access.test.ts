// Two companies and their observer share one repository. What beta gets of it is, answer by answer, what it would get of a repository that
// holds nothing but beta's view of it: nothing distinguishes "not there" from "not yours".
// What each file of the folder beside this asks of it, in this order.
import { KINDS } from '../helpers/fresh-repository.ts';
import { aboutAnswers } from './epcis-access/answers.ts';
import { aboutCapture } from './epcis-access/capture.ts';
import { aboutHidden } from './epcis-access/hidden.ts';
import { aboutNames } from './epcis-access/names.ts';
import { openPartnership } from './epcis-access/partnership.ts';
import { aboutSubscriptions } from './epcis-access/subscriptions.ts';

for (const [kind, freshUrl] of KINDS)
  describe(`partners who share a repository on ${kind}`, function () {
    this.timeout(60_000);
    const partnership = openPartnership(freshUrl);
    before(() => partnership.open());
    after(() => partnership.close());

    aboutAnswers(partnership);
    aboutNames(partnership);
    aboutCapture(partnership);
    aboutHidden(partnership);
    aboutSubscriptions(partnership);
  });
