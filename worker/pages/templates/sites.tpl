<p class="way"><a href="{{LIST}}">Media of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1>Where films of <bdi>{{ACCOUNT}}</bdi> may be shown</h1>
{{#DONE_SAVED}}<p class="notice" role="status">The changes are saved.</p>
{{/DONE_SAVED}}{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been saved yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#OVERTAKEN}}<div class="problem" role="alert"><p>Another user changed this list while you were editing it. Your changes are not saved yet, but they are still in the form. This is saved now:</p>
<dl><dt>Sites</dt>
<dd><bdi>{{SAVED}}</bdi></dd></dl>
<p>If you save now, the form replaces it.</p></div>
{{/OVERTAKEN}}<p>Pages of other sites get a short reason instead of the video. A video can have sites of its own.</p>
<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<p><label for="allowed_domains">Sites</label>
<textarea id="allowed_domains" name="allowed_domains" rows="{{ROWS}}" maxlength="4000" autocapitalize="none" spellcheck="false" aria-describedby="allowed_domains-hint{{#ALLOWED_DOMAINS_WRONG}} allowed_domains-problem{{/ALLOWED_DOMAINS_WRONG}}"{{#ALLOWED_DOMAINS_WRONG}} aria-invalid="true"{{/ALLOWED_DOMAINS_WRONG}}>{{DOMAINS}}</textarea>
<span class="meta" id="allowed_domains-hint">A line each: site.example, or *.site.example for all below it; for an application capacitor://localhost, or 127.0.0.1:3000. Empty: every site</span>
{{#ALLOWED_DOMAINS_PROBLEM}}<span class="field-problem" id="allowed_domains-problem">{{PROBLEM}}</span>{{/ALLOWED_DOMAINS_PROBLEM}}</p>
<p><label class="choice"><input type="checkbox" name="no_referrer" value="yes" aria-describedby="no_referrer-hint"{{#NO_REFERRER}} checked{{/NO_REFERRER}}> Also where the browser does not say which site it is</label>
<span class="meta" id="no_referrer-hint">Files, applications and pages that hide their address. Any site can hide it</span></p>
<p class="answers"><button class="primary">Save the changes</button>
<a class="button" href="{{LIST}}">Cancel</a></p>
</form>
