<script src="/assets/deliberate.js"></script>
<p class="way"><a href="{{BACK}}"><bdi>{{NAME}}</bdi></a></p>
<h1>Links to <bdi>{{NAME}}</bdi></h1>
{{#DONE_ENDED}}<p class="notice" role="status">All links are ended. Links that you make from now on work.</p>
{{/DONE_ENDED}}{{#DONE_ONE}}<p class="notice" role="status">The link is ended. It opens nothing any more.</p>
{{/DONE_ONE}}{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>No link was made:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#MADE}}<section class="notice" role="status" aria-labelledby="made"><h2 id="made">Your new link</h2>
{{#PAGE}}<p><label for="link">Works until {{END}}</label>
<input id="link" class="code" value="{{URL}}" readonly spellcheck="false" autocomplete="off">
<button type="button" class="copy" data-copy="link" hidden>Copy the link</button></p>
{{/PAGE}}{{#EMBED}}<p><label for="link-code">{{#ALSO}}The same in an embed code{{/ALSO}}{{#ONLY}}Works until {{END}}, only in pages of <bdi>{{SITE}}</bdi>{{/ONLY}}</label>
<textarea id="link-code" class="code" readonly rows="4" spellcheck="false">{{CODE}}</textarea>
<button type="button" class="copy" data-copy="link-code" hidden>Copy the code</button></p>
{{/EMBED}}<p>Copy it now: it is never shown again.</p></section>
{{/MADE}}<p>Everyone who has a link can watch until it ends, and can pass it on.</p>
{{#NOT_PRIVATE}}<p class="notice"><bdi>{{NAME}}</bdi> is {{VISIBILITY}}, so nobody needs a link, and one that you make now ends if it becomes private. <a href="{{BACK}}/edit">Change who may watch it</a></p>
{{/NOT_PRIVATE}}{{#NO_KEYS}}<p class="notice">This service makes no links: its operator has set no <code>watch-key-file</code>.</p>
{{/NO_KEYS}}{{#FORM}}<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><label for="name">Name</label>
<input id="name" name="name" value="{{LINK_NAME}}" maxlength="128" autocomplete="off" dir="auto" aria-describedby="name-hint{{#NAME_WRONG}} name-problem{{/NAME_WRONG}}"{{#NAME_WRONG}} aria-invalid="true"{{/NAME_WRONG}}>
<span class="meta" id="name-hint">Who or what it is for, so that you know later which one to end. Viewers do not see it</span>
{{#NAME_PROBLEM}}<span class="field-problem" id="name-problem">{{PROBLEM}}</span>{{/NAME_PROBLEM}}</p>
<p><label for="lasts">For how long</label>
<select id="lasts" name="lasts"{{#LASTS_WRONG}} aria-invalid="true" aria-describedby="lasts-problem"{{/LASTS_WRONG}}>
{{#LASTS}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/LASTS}}</select>
{{#LASTS_PROBLEM}}<span class="field-problem" id="lasts-problem">{{PROBLEM}}</span>{{/LASTS_PROBLEM}}</p>
<p class="of-days"><label for="days">Number of days</label>
<input id="days" name="days" value="{{DAYS}}" size="5" inputmode="numeric" autocomplete="off" aria-describedby="days-hint{{#DAYS_WRONG}} days-problem{{/DAYS_WRONG}}"{{#DAYS_WRONG}} aria-invalid="true"{{/DAYS_WRONG}}>
<span class="meta" id="days-hint">From 1 to {{MOST}}</span>
{{#DAYS_PROBLEM}}<span class="field-problem" id="days-problem">{{PROBLEM}}</span>{{/DAYS_PROBLEM}}</p>
<p><label for="site">Only on this site</label>
<input id="site" name="site" value="{{SITE}}" maxlength="200" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="site-hint{{#SITE_WRONG}} site-problem{{/SITE_WRONG}}"{{#SITE_WRONG}} aria-invalid="true"{{/SITE_WRONG}}>
<span class="meta" id="site-hint">site.example, *.site.example for all below it, or capacitor://localhost for an application. Empty: wherever <bdi>{{NAME}}</bdi> may be shown</span>
{{#SITE_PROBLEM}}<span class="field-problem" id="site-problem">{{PROBLEM}}</span>{{/SITE_PROBLEM}}</p>
<p class="answers"><button class="primary">Make a link</button></p>
</form>
{{/FORM}}{{#LISTED}}<section aria-labelledby="listed"><h2 id="listed">{{COUNT}}</h2>
<ul class="list">
{{#LINK}}<li class="entry"><div><h3><bdi>{{NAME}}</bdi></h3>
<p class="meta">Ends <time datetime="{{ENDS_EXACT}}">{{ENDS_FULL}}</time>{{#ON}} · only in pages of <bdi>{{SITE}}</bdi>{{/ON}} · {{OPENED}} · made <time datetime="{{MADE_EXACT}}" title="{{MADE_FULL}}">{{MADE}}</time>{{#BY}} by <bdi>{{MAKER}}</bdi>{{/BY}}</p></div>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><button class="danger">End<span class="unseen">: {{NAME}}</span></button></p>
</form></li>
{{/LINK}}</ul>
<p class="meta">If you end a link, viewers who watch with it are stopped within seconds. Links that were made before this list existed are not in it: they end with all links.</p></section>
{{/LISTED}}{{#ENDING}}<section aria-labelledby="end"><h2 id="end">End all links</h2>
<p>After this, no link that was made before works. You are asked to confirm.</p>
<p><a class="button" href="{{BACK}}/links/end">End all links</a></p></section>
{{/ENDING}}
