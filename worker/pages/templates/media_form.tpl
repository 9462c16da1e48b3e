<p class="way"><a href="{{BACK}}"><bdi>{{NAME}}</bdi></a></p>
<h1>Edit <bdi>{{NAME}}</bdi></h1>
{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been saved yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#OVERTAKEN}}<div class="problem" role="alert"><p>Another user changed this video while you were editing it. Your changes are not saved yet, but they are still in the form. These values are saved now:</p>
<dl>
{{#SAVED}}<dt>{{FIELD}}</dt>
<dd><bdi>{{VALUE}}</bdi></dd>
{{/SAVED}}</dl>
<p>If you save now, the form replaces it.</p></div>
{{/OVERTAKEN}}<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<p><label for="name">Name</label>
<input id="name" name="name" value="{{ENTERED}}" required maxlength="2000" autocomplete="off" dir="auto"{{#NAME_WRONG}} aria-invalid="true" aria-describedby="name-problem"{{/NAME_WRONG}}>
{{#NAME_PROBLEM}}<span class="field-problem" id="name-problem">{{PROBLEM}}</span>{{/NAME_PROBLEM}}</p>
<p><label for="description">Description</label>
<textarea id="description" name="description" rows="{{ROWS}}" maxlength="8000" dir="auto" aria-describedby="description-hint{{#DESCRIPTION_WRONG}} description-problem{{/DESCRIPTION_WRONG}}"{{#DESCRIPTION_WRONG}} aria-invalid="true"{{/DESCRIPTION_WRONG}}>{{DESCRIPTION}}</textarea>
<span class="meta" id="description-hint">HTML is allowed. The public page shows its text</span>
{{#DESCRIPTION_PROBLEM}}<span class="field-problem" id="description-problem">{{PROBLEM}}</span>{{/DESCRIPTION_PROBLEM}}</p>
<p><label for="visibility">Who may watch it</label>
<select id="visibility" name="visibility" aria-describedby="visibility-hint{{#VISIBILITY_WRONG}} visibility-problem{{/VISIBILITY_WRONG}}"{{#VISIBILITY_WRONG}} aria-invalid="true"{{/VISIBILITY_WRONG}}>
{{#VISIBILITY}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/VISIBILITY}}</select>
<span class="meta" id="visibility-hint">If it becomes private, its files are closed within a minute. What browsers and search engines kept while it was public stays there</span>
{{#VISIBILITY_PROBLEM}}<span class="field-problem" id="visibility-problem">{{PROBLEM}}</span>{{/VISIBILITY_PROBLEM}}</p>
<p><label for="sites">Where it may be shown</label>
<select id="sites" name="sites" aria-describedby="sites-hint{{#SITES_WRONG}} sites-problem{{/SITES_WRONG}}"{{#SITES_WRONG}} aria-invalid="true"{{/SITES_WRONG}}>
{{#SITES}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/SITES}}</select>
<span class="meta" id="sites-hint">The account allows now: {{ALLOWED}}</span>
{{#SITES_PROBLEM}}<span class="field-problem" id="sites-problem">{{PROBLEM}}</span>{{/SITES_PROBLEM}}</p>
<p><label for="allowed_domains">These sites</label>
<textarea id="allowed_domains" name="allowed_domains" rows="3" maxlength="4000" autocapitalize="none" spellcheck="false" aria-describedby="allowed_domains-hint{{#ALLOWED_DOMAINS_WRONG}} allowed_domains-problem{{/ALLOWED_DOMAINS_WRONG}}"{{#ALLOWED_DOMAINS_WRONG}} aria-invalid="true"{{/ALLOWED_DOMAINS_WRONG}}>{{DOMAINS}}</textarea>
<span class="meta" id="allowed_domains-hint">A line each: site.example, or *.site.example for all below it; for an application capacitor://localhost, or 127.0.0.1:3000</span>
{{#ALLOWED_DOMAINS_PROBLEM}}<span class="field-problem" id="allowed_domains-problem">{{PROBLEM}}</span>{{/ALLOWED_DOMAINS_PROBLEM}}</p>
<p class="answers"><button class="primary">Save the changes</button>
<a class="button" href="{{BACK}}">Cancel</a></p>
</form>
