<p class="way"><a href="{{BACK}}"><bdi>{{NAME}}</bdi></a></p>
<h1>Poster</h1>
{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been saved yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#OVERTAKEN}}<div class="problem" role="alert"><p>Another user changed the poster while you were choosing. Your choice is not saved yet, but it is still in the form. The poster below is saved. If you save now, your choice replaces it.</p></div>
{{/OVERTAKEN}}<p>The poster is shown before the video plays, wherever it is embedded, and in lists.</p>
{{#POSTER}}<p class="picture" role="img" aria-label="The present poster"><img src="{{URL}}" alt="" width="160" height="90"></p>
{{/POSTER}}{{#NO_POSTER}}<p>The video has no poster that can be shown here.</p>
{{/NO_POSTER}}{{#BEING_MADE}}<p class="notice waits" role="status">The picture of the video at {{AT}} is being made. Until then the former poster is shown.</p>
{{/BEING_MADE}}{{#NOT_MADE}}<p class="problem" role="status">No picture could be made of the video at {{AT}}, so the former poster stays.</p>
{{/NOT_MADE}}{{#SET}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<input type="hidden" name="from" value="own">
<p><button>Use the video's own poster</button></p>
</form>
{{/SET}}{{#VIDEO}}<section aria-labelledby="of-video"><h2 id="of-video">A picture of the video</h2>
{{#PLAYER}}{{>STAGE}}
{{/PLAYER}}<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<input type="hidden" name="from" value="video">
<p><label for="time">Time</label>
<input id="time" name="time" value="{{TIME}}" maxlength="20" autocomplete="off" spellcheck="false" aria-describedby="time-hint{{#TIME_WRONG}} time-problem{{/TIME_WRONG}}"{{#TIME_WRONG}} aria-invalid="true"{{/TIME_WRONG}}>
<button type="button" class="link line" data-position="time" hidden>Use the player’s current time</button>
<span class="meta" id="time-hint">Such as 0:05 or 0:05.250; the video ends at {{LENGTH}}. A time takes precedence over a picture</span>
{{#TIME_PROBLEM}}<span class="field-problem" id="time-problem">{{PROBLEM}}</span>{{/TIME_PROBLEM}}</p>
{{#TILES}}<fieldset id="moment"{{#MOMENT_WRONG}} aria-describedby="moment-problem"{{/MOMENT_WRONG}}><legend>Or one of these pictures</legend>
{{#MOMENT_PROBLEM}}<span class="field-problem" id="moment-problem">{{PROBLEM}}</span>
{{/MOMENT_PROBLEM}}<div class="tiles">
{{#TILE}}<label class="choice"><input type="radio" name="moment" value="{{VALUE}}"{{#CHOSEN}} checked{{/CHOSEN}}><span><svg width="{{WIDTH}}" height="{{HEIGHT}}" viewBox="{{LEFT}} {{TOP}} {{WIDTH}} {{HEIGHT}}" aria-hidden="true"><image href="{{IMAGE}}" width="{{ALL_WIDTH}}" height="{{ALL_HEIGHT}}"/></svg> <span>{{AT}}</span></span></label>
{{/TILE}}</div></fieldset>
{{/TILES}}<p><button class="primary">Use this picture</button></p>
</form></section>
{{/VIDEO}}<section aria-labelledby="of-image"><h2 id="of-image">An image</h2>
<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<input type="hidden" name="from" value="image">
{{#NO_IMAGES}}<p id="image">The account has no image that is ready. <a href="{{LIST}}">Upload one</a></p>
{{/NO_IMAGES}}{{#IMAGES}}<fieldset id="image"{{#IMAGE_WRONG}} aria-describedby="image-problem"{{/IMAGE_WRONG}}><legend>The newest images</legend>
{{/IMAGES}}{{#IMAGE_PROBLEM}}<span class="field-problem" id="image-problem">{{PROBLEM}}</span>
{{/IMAGE_PROBLEM}}{{#IMAGES}}<div class="tiles">
{{/IMAGES}}{{#IMAGE}}<label class="choice"><input type="radio" name="image" value="{{VALUE}}"{{#CHOSEN}} checked{{/CHOSEN}}><span>{{#PICTURE}}<img src="{{URL}}" alt="" width="160" height="90" loading="lazy">{{/PICTURE}} <bdi>{{WORDS}}</bdi></span></label>
{{/IMAGE}}{{#IMAGES}}</div></fieldset>
{{/IMAGES}}<p><label for="image_id">Or the id of an image</label>
<input id="image_id" name="image_id" value="{{IMAGE_ID}}" maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="image_id-hint{{#IMAGE_ID_WRONG}} image_id-problem{{/IMAGE_ID_WRONG}}"{{#IMAGE_ID_WRONG}} aria-invalid="true"{{/IMAGE_ID_WRONG}}>
<span class="meta" id="image_id-hint">The end of the address of its page. An id takes precedence over a chosen image</span>
{{#IMAGE_ID_PROBLEM}}<span class="field-problem" id="image_id-problem">{{PROBLEM}}</span>{{/IMAGE_ID_PROBLEM}}</p>
<p><button>Use this image</button></p>
</form></section>
